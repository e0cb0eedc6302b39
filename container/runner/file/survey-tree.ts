// Counts what is in a tree with `find`: in a process of its own, a million entries take a second or two, and it descends
// directory by directory, so that no path is too long for it.

import { spawn } from "node:child_process";
import type { FileKind } from "../../../src/contract/file.ts";
import type { TreeSize } from "./walk-tree.ts";

export interface TreeSurvey extends TreeSize {
  /** False when there are more than `maxEntries`; the count ends there. */
  readonly isComplete: boolean;
  /** The first entry found that cannot be copied; the count ends with it. */
  readonly obstacle: { readonly path: Buffer; readonly kind: FileKind | "path too long" } | null;
}

export interface SurveyOptions {
  readonly maxEntries: number;
  /** Looks for obstacles: entries that are no file, directory or symlink, and paths longer than Linux accepts. */
  readonly toCopy: boolean;
}

/** Null when `find` could not see everything or does not exist; walkTree() tells the reason. */
export function surveyTree(top: string, { maxEntries, toCopy }: SurveyOptions): Promise<TreeSurvey | null> {
  const find = spawn("find", [top, ...(toCopy ? OBSTACLES : []), "-printf", "%y %s\\0"], {
    // A "?" is a byte then, as in the length of a path.
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const size = { files: 0, directories: 0, bytes: 0 };
  let obstacle: TreeSurvey["obstacle"] = null;
  let incomplete = "";
  const isOver = (): boolean => obstacle !== null || size.files + size.directories > maxEntries;
  find.stdout.setEncoding("latin1").on("data", (text: string) => {
    const records = (incomplete + text).split("\0");
    incomplete = records.pop() ?? "";
    for (const record of records) {
      if (isOver()) return void find.kill("SIGKILL");
      const [letter = "", rest = ""] = [record.slice(0, 1), record.slice(2)];
      if (letter === "!")
        obstacle = { kind: KINDS[rest.slice(0, 1)] ?? "socket", path: Buffer.from(rest.slice(2), "latin1") };
      else if (letter === "?") obstacle = { kind: "path too long", path: Buffer.from(rest, "latin1") };
      else if (letter === "d") size.directories++;
      else size.files++;
      if (letter === "f") size.bytes += Number(rest);
    }
  });
  return new Promise((resolve) => {
    find.once("error", () => resolve(null));
    find.once("close", (code) => {
      if (code !== 0 && !isOver()) resolve(null);
      else resolve({ ...size, obstacle, isComplete: size.files + size.directories <= maxEntries });
    });
  });
}

/** With the NUL at its end, a path must fit into so many bytes. */
const PATH_MAX = 4096;

const OBSTACLES = [
  ...["-path", `${"?".repeat(PATH_MAX)}*`, "-printf", "? %p\\0", "-quit", "-o"],
  ...["-not", "(", "-type", "f", "-o", "-type", "d", "-o", "-type", "l", ")", "-printf", "! %y %p\\0", "-quit", "-o"],
];

const KINDS: Readonly<Record<string, FileKind>> = { p: "fifo", s: "socket", c: "character device", b: "block device" };
