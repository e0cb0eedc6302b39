// Text that is too long for an answer. There are two notations: "…" ends a shortened name or command, and
// "[… 1,234 characters omitted]" stands wherever the reader has to know how much is missing.

import { formatCount } from "./format-count.ts";

/** "[… 1 line omitted]", "[… 1,234 characters omitted]". */
export const formatOmitted = (count: number, singular: string, plural?: string): string =>
  `[… ${formatCount(count, singular, plural)} omitted]`;

/** The start of a text, with "…" where the rest is missing: at most `maxChars` and the ellipsis. */
export const truncate = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : `${text.slice(0, maxChars).toWellFormed()}…`;

/**
 * The start and the end of a text, with the number of characters omitted between them on a line of its own. `endChars` are
 * kept of the end. The result has at most `maxChars`, as long as these leave room for the end and `OMITTED_CHARS`.
 */
export function truncateMiddle(text: string, maxChars: number, endChars: number): string {
  if (text.length <= maxChars) return text;
  const startChars = Math.max(0, maxChars - endChars - OMITTED_CHARS);
  const omitted = formatOmitted(text.length - startChars - endChars, "character");
  const end = endChars === 0 ? "" : text.slice(-endChars);
  return `${text.slice(0, startChars)}\n${omitted}\n${end}`.toWellFormed();
}

/** Room for the mark between start and end, with its two line breaks. */
export const OMITTED_CHARS = 60;
