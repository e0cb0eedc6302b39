// Sizes in bytes, in units of 1024.

import { formatCount } from "./format-count.ts";

/** "812 B", "45.2 KiB", "64 MiB". */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let value = bytes / 1024;
  let unit = 0;
  while (Math.round(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value < 100 ? Number(value.toFixed(1)) : Math.round(value)} ${units[unit]}`;
}

/** "812 bytes", "45.2 KiB (46,285 bytes)": for answers in which the exact size matters. */
export function formatExactBytes(bytes: number): string {
  const exact = formatCount(bytes, "byte");
  return bytes < 1024 ? exact : `${formatBytes(bytes)} (${exact})`;
}
