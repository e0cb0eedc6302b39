// Numbers and counts in sentences.

/** "1,234,567". */
export const formatNumber = (value: number): string => value.toLocaleString("en-US");

/** "1 file", "1,234 files". */
export const formatCount = (count: number, singular: string, plural = `${singular}s`): string =>
  `${formatNumber(count)} ${count === 1 ? singular : plural}`;

/** "once", "2 times". */
export const formatTimes = (count: number): string => (count === 1 ? "once" : formatCount(count, "time"));

/** "a, b, c and 2 more": the first `max` of some items. */
export function formatList(items: readonly string[], max: number): string {
  const shown = items.slice(0, max).join(", ");
  return items.length <= max ? shown : `${shown} and ${formatNumber(items.length - max)} more`;
}
