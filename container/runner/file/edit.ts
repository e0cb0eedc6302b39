// file-edit: makes exact edits in one file, all of them or none.

import type { Failure } from "../../../src/contract/failure.ts";
import type { FileEditRequest, FileEditResult } from "../../../src/contract/file-edit.ts";
import { limits } from "../../../src/contract/limits.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { applyEdits } from "./apply-edits.ts";
import { openRegular } from "./open-regular.ts";
import { readWhole } from "./read-chunks.ts";
import { replaceFile } from "./replace-file.ts";
import type { PathRoots } from "./resolve-path.ts";
import { endingsOf, textBody } from "./text-body.ts";
import { hashFailure, type Target, withFileLock, writtenReport } from "./with-file-lock.ts";

export const editFile = (request: FileEditRequest, roots: PathRoots): Promise<Result<FileEditResult>> =>
  withFileLock(request.path, roots, (target) => editOnce(request, target));

async function editOnce(request: FileEditRequest, target: Target): Promise<Result<FileEditResult> | "changed"> {
  const { path, real } = target;
  const opened = await openRegular(path, real);
  if (!opened.ok) return opened;
  await using file = opened.value;
  const refusal = tooLarge(path, file.size) ?? (await hashFailure(path, request.expected_hash, file));
  if (refusal !== null) return fail(refusal);

  const content = await readWhole(file.handle, file.size, limits.fileEditMaxBytes);
  if (content === null) return fail(endless(path));
  const body = textBody(path, content);
  if (!body.ok) return body;
  const edited = applyEdits(path, body.value.bytes, request.edits);
  if (!edited.ok) return edited;
  const after = body.value.restore(edited.value.bytes);
  const replaced = request.dry_run ? "renamed" : await replaceFile(real, [after], file.version);
  if (replaced === "changed") return "changed";
  const shown = { before: body.value.bytes, after: edited.value.bytes };
  return succeed({
    ...writtenReport(target, {
      after,
      version: file.version,
      dryRun: request.dry_run,
      inPlace: replaced === "in_place",
      shown,
    }),
    changes: edited.value.changes,
    encoding: body.value.encoding,
    bom: body.value.bom,
    endings: endingsOf(edited.value.bytes),
  });
}

const tooLarge = (path: string, size: number) =>
  size > limits.fileEditMaxBytes
    ? ({ reason: "file_too_large", path, action: "edit", size, limit: limits.fileEditMaxBytes } as const)
    : null;

const endless = (path: string): Failure => ({
  reason: "refused",
  subject: `"${path}"`,
  message: `it reports a smaller size, but does not end within ${limits.fileEditMaxBytes} bytes. Nothing was changed. Work on it with a program through exec.`,
});
