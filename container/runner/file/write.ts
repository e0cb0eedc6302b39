// file-write: writes the whole content of a file.

import { dirname } from "node:path";
import type { FileWriteRequest, FileWriteResult } from "../../../src/contract/file-write.ts";
import { limits } from "../../../src/contract/limits.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { contentBytes } from "./content-bytes.ts";
import { kindAt } from "./copy-target.ts";
import { hashFile, hashOf } from "./file-hash.ts";
import { KIND_NAMES } from "./kind.ts";
import type { OpenedFile } from "./open-regular.ts";
import { readWhole } from "./read-chunks.ts";
import { makeParents, replaceFile } from "./replace-file.ts";
import type { PathRoots } from "./resolve-path.ts";
import { endingsOf, type TextBody, textBody } from "./text-body.ts";
import { hashFailure, openExisting, type Target, withFileLock, writtenReport } from "./with-file-lock.ts";

export async function writeFile(request: FileWriteRequest, roots: PathRoots): Promise<Result<FileWriteResult>> {
  const content = contentBytes(request.content, request.encoding);
  if (!content.ok) return content;
  return withFileLock(request.path, roots, (target) => writeOnce(request, target, content.value));
}

async function writeOnce(
  request: FileWriteRequest,
  target: Target,
  after: Buffer,
): Promise<Result<FileWriteResult> | "changed"> {
  const { path, real } = target;
  const taken = request.if_absent ? await kindAt(real) : null;
  if (taken !== null) return fail({ reason: "exists", path, kind: KIND_NAMES[taken] });
  const opened = await openExisting(target);
  if (opened !== null && !opened.ok) return opened;
  await using file = opened?.value ?? null;
  const changed = await hashFailure(path, request.expected_hash, file);
  if (changed !== null) return fail(changed);

  const texts = file === null ? null : await bothTexts(path, file, after);
  const unchanged = file !== null && (await hasContent(file, after));
  const replaced = request.dry_run ? "renamed" : await put(real, after, file);
  if (replaced === "changed") return "changed";
  const shown = texts === null ? null : { before: texts.before.bytes, after: texts.after.bytes };
  const change = {
    after,
    version: file?.version ?? null,
    dryRun: request.dry_run,
    inPlace: replaced === "in_place",
    shown,
  };
  return succeed({
    ...writtenReport(target, change),
    unchanged,
    endings: shown === null ? null : { before: endingsOf(shown.before), after: endingsOf(shown.after) },
    bom_dropped: texts?.before.bom === true && !texts.after.bom,
  });
}

const hasContent = async ({ handle, size }: OpenedFile, content: Buffer): Promise<boolean> =>
  size === content.length && (await hashFile(handle, size)) === hashOf(content);

async function put(real: string, content: Buffer, file: OpenedFile | null) {
  if (file === null) await makeParents(dirname(real));
  return replaceFile(real, [content], file?.version ?? null);
}

/** The old and the new text, of which the diff is shown. Null when one of them is large or not text. */
async function bothTexts(
  path: string,
  file: OpenedFile,
  content: Buffer,
): Promise<{ before: TextBody; after: TextBody } | null> {
  if (Math.max(file.size, content.length) > limits.fileDiffMaxBytes) return null;
  const old = await readWhole(file.handle, file.size, 2 * limits.fileDiffMaxBytes);
  if (old === null) return null;
  const before = textBody(path, old);
  const after = textBody(path, content);
  if (!before.ok || !after.ok || !before.value.isText || !after.value.isText) return null;
  return { before: before.value, after: after.value };
}
