// Durations as people write them in settings.

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Milliseconds of "500ms", "4s", "10m", "4h" or "1d"; null for anything else. */
export function parseDuration(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/.exec(text.trim());
  if (match === null) return null;
  const [, amount, unit] = match;
  return Math.round(Number(amount) * unitMs[unit as keyof typeof unitMs]);
}
