// Whether a whole tree can be copied, checked before anything is written: a part that is left out would be lost when a move then
// deletes the source.

import type { Failure } from "../../../src/contract/failure.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import type { CopyTarget } from "./copy-target.ts";
import { wrongKind } from "./kind.ts";
import { readableName } from "./readable-name.ts";
import { surveyTree } from "./survey-tree.ts";
import { asFailure, systemFailure } from "./system-failure.ts";
import { countInto, type TreeSize, walkTree } from "./walk-tree.ts";

export interface CopyBounds {
  /** For the failure: what each entry has to be. Reading anything else would hang. */
  expected: string;
  maxEntries: number;
}

/** Succeeds with what there is to copy. Fails also when the system refuses to show a part of the tree. */
export async function checkCopyable(from: CopyTarget, { expected, maxEntries }: CopyBounds): Promise<Result<TreeSize>> {
  const survey = await surveyTree(from.real, { maxEntries, toCopy: true });
  if (survey === null) return walkWhole(from, { expected, maxEntries });
  const { obstacle, isComplete, ...size } = survey;
  if (obstacle?.kind === "path too long") return fail(await systemFailure("ENAMETOOLONG", from.path));
  if (obstacle !== null) return fail(wrongKind(readableName(obstacle.path).text, expected, obstacle.kind));
  return isComplete ? succeed(size) : fail(tooManyEntries(from.path, maxEntries));
}

function walkWhole(from: CopyTarget, { expected, maxEntries }: CopyBounds): Promise<Result<TreeSize>> {
  return asFailure(from.path, async () => {
    const size: TreeSize = { files: 0, directories: 0, bytes: 0 };
    for await (const entry of walkTree(from.real)) {
      const { kind, path } = entry;
      countInto(size, entry);
      if (size.files + size.directories > maxEntries) return fail(tooManyEntries(from.path, maxEntries));
      if (kind !== "file" && kind !== "directory" && kind !== "symlink")
        return fail(wrongKind(readableName(path).text, expected, kind));
    }
    return succeed(size);
  });
}

const tooManyEntries = (path: string, maxEntries: number): Failure => ({
  reason: "refused",
  subject: `"${path}"`,
  message: `it holds more than ${maxEntries} entries, and nothing was written. Copy it with a program through exec, such as cp -a.`,
});
