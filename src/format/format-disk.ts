// Formats the space of a disk for a model.

import { type DiskSpace, type FullDisk, isOutOfFiles } from "../contract/disk.ts";
import { formatBytes } from "./format-bytes.ts";
import { formatCount, formatNumber } from "./format-count.ts";

/** "1.2 GiB of 8 GiB used, 12,345 of 2,097,152 files". */
export function formatDiskSpace({ total_bytes, free_bytes, total_files, free_files }: DiskSpace): string {
  const bytes = `${formatBytes(total_bytes - free_bytes)} of ${formatBytes(total_bytes)} used`;
  return total_files === 0
    ? bytes
    : `${bytes}, ${formatNumber(total_files - free_files)} of ${formatNumber(total_files)} files`;
}

/** A sentence that says what is used up, and one that says what takes it where that is known. */
export function formatFullDisk(disk: DiskSpace | FullDisk): string {
  const what = isOutOfFiles(disk)
    ? `all ${formatNumber(disk.total_files)} files that its disk can hold are in use`
    : `its disk of ${formatBytes(disk.total_bytes)} is full`;
  const largest = "largest" in disk ? disk.largest : [];
  if (largest.length === 0) return `The machine has no space left: ${what}.`;
  const unit = (amount: number) => (isOutOfFiles(disk) ? formatCount(amount, "entry", "entries") : formatBytes(amount));
  const list = largest.map(({ path, amount }) => `${path} (${unit(amount)})`).join(", ");
  return `The machine has no space left: ${what}. Most of it is taken by ${list}.`;
}
