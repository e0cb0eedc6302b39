// What takes the space of a full disk, so that a caller knows what to delete.

import { spawn } from "node:child_process";
import { lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { type FullDisk, isOutOfFiles } from "../../../src/contract/disk.ts";
import { limits } from "../../../src/contract/limits.ts";
import { readableName } from "../file/readable-name.ts";
import { diskSpace } from "./disk-space.ts";

/** The disk that holds `path`. Null when the system does not tell. */
export async function describeFullDisk(path: string): Promise<FullDisk | null> {
  const space = await diskSpace(path);
  if (space === null) return null;
  const print = isOutOfFiles(space) ? ["-printf", "1 %h\\0"] : ["-type", "f", "-size", "+0", "-printf", "%b %p\\0"];
  const amounts = await collect([await topOfDisk(path), "-xdev", ...print]);
  const unit = isOutOfFiles(space) ? 1 : BLOCK_BYTES;
  const largest = [...amounts].sort(([, a], [, b]) => b - a).slice(0, SHOWN);
  return {
    ...space,
    largest: largest.map(([name, amount]) => ({
      path: readableName(Buffer.from(name, "latin1")).text,
      amount: amount * unit,
    })),
  };
}

/** The highest directory of the disk that holds `path`. */
async function topOfDisk(path: string): Promise<string> {
  const stats = await lstat(path).catch(() => null);
  if (path === "/") return path;
  const above = await topOfDisk(dirname(path));
  const top = await lstat(above).catch(() => null);
  return stats === null || stats.dev === top?.dev || !stats.isDirectory() ? above : path;
}

/** The sum for each path that `find` prints, as far as it comes within the time. The small ones may be missing. */
function collect(findArguments: readonly string[]): Promise<Map<string, number>> {
  const find = spawn("find", findArguments, {
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" },
    stdio: ["ignore", "pipe", "ignore"],
    timeout: limits.fullDiskSearchMs,
    killSignal: "SIGKILL",
  });
  const sums = new Map<string, number>();
  let incomplete = "";
  find.stdout.setEncoding("latin1").on("data", (text: string) => {
    const records = (incomplete + text).split("\0");
    incomplete = records.pop() ?? "";
    for (const record of records) {
      const space = record.indexOf(" ");
      const path = record.slice(space + 1);
      sums.set(path, (sums.get(path) ?? 0) + Number(record.slice(0, space)));
    }
    if (sums.size > REMEMBERED) dropSmall(sums);
  });
  return new Promise((resolve) => {
    find.once("error", () => resolve(sums));
    find.once("close", () => resolve(sums));
  });
}

function dropSmall(sums: Map<string, number>): void {
  const kept = [...sums].sort(([, a], [, b]) => b - a).slice(0, REMEMBERED / 10);
  sums.clear();
  for (const [path, sum] of kept) sums.set(path, sum);
}

const REMEMBERED = 10_000;
const SHOWN = 3;
/** The unit of %b. */
const BLOCK_BYTES = 512;
