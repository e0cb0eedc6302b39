// What speaks against copying a tree, looked for in all of it before anything is written: a part that is left out would be
// lost where a move then deletes the source.

import type { Failure } from "../../../src/contract/failure.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import type { Destination } from "./copy-target.ts";
import { wrongKind } from "./kind.ts";
import { readableName } from "./readable-name.ts";
import { guarded } from "./system-failure.ts";
import { walkTree } from "./walk-tree.ts";

export interface CopyBounds {
  /** What the source has to be, in words: reading anything else would hang. */
  expected: string;
  /** Entries. */
  most: number;
}

/** A failure about `from`, also where the system refuses to show a part of it. */
export function checkCopyable(from: Destination, { expected, most }: CopyBounds): Promise<Result<null>> {
  return guarded(from.path, async () => {
    let entries = 0;
    for await (const { kind, path } of walkTree(from.real)) {
      if (++entries > most) return fail(tooMany(from.path, most));
      if (kind !== "file" && kind !== "directory" && kind !== "symlink")
        return fail(wrongKind(readableName(path).text, expected, kind));
    }
    return succeed(null);
  });
}

const tooMany = (path: string, most: number): Failure => ({
  reason: "refused",
  subject: `"${path}"`,
  message: `it holds more than ${most} entries, and nothing was written. Copy it with a program through exec, such as cp -a.`,
});
