// Whether a whole tree can be copied, checked before anything is written: a part that is left out would be lost when a move then
// deletes the source.

import type { Failure } from "../../../src/contract/failure.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import type { CopyTarget } from "./copy-target.ts";
import { wrongKind } from "./kind.ts";
import { readableName } from "./readable-name.ts";
import { asFailure } from "./system-failure.ts";
import { walkTree } from "./walk-tree.ts";

export interface CopyBounds {
  /** For the failure: what each entry has to be. Reading anything else would hang. */
  expected: string;
  maxEntries: number;
}

/** Fails also when the system refuses to show a part of the tree. */
export function checkCopyable(from: CopyTarget, { expected, maxEntries }: CopyBounds): Promise<Result<null>> {
  return asFailure(from.path, async () => {
    let entries = 0;
    for await (const { kind, path } of walkTree(from.real)) {
      if (++entries > maxEntries) return fail(tooManyEntries(from.path, maxEntries));
      if (kind !== "file" && kind !== "directory" && kind !== "symlink")
        return fail(wrongKind(readableName(path).text, expected, kind));
    }
    return succeed(null);
  });
}

const tooManyEntries = (path: string, maxEntries: number): Failure => ({
  reason: "refused",
  subject: `"${path}"`,
  message: `it holds more than ${maxEntries} entries, and nothing was written. Copy it with a program through exec, such as cp -a.`,
});
