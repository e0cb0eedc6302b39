// Durations, in their two largest units: "12 ms", "3.4 s", "5 min 3 s", "2 h 10 min", "3 d 4 h".

export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${ms % 1_000 === 0 ? ms / 1_000 : (ms / 1_000).toFixed(1)} s`;
  if (seconds < 3_600) return joinUnits(Math.floor(seconds / 60), "min", seconds % 60, "s");
  const minutes = Math.round(seconds / 60);
  if (minutes < 24 * 60) return joinUnits(Math.floor(minutes / 60), "h", minutes % 60, "min");
  const hours = Math.round(minutes / 60);
  return joinUnits(Math.floor(hours / 24), "d", hours % 24, "h");
}

/** "just now", "12 s ago". Both times are in epoch milliseconds. */
export function formatAgo(time: number, now: number): string {
  const seconds = Math.round((now - time) / 1_000);
  return seconds < 1 ? "just now" : `${formatDuration(seconds * 1_000)} ago`;
}

const joinUnits = (large: number, largeUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
