// file-append: adds bytes to the end of a file. A small file is replaced as a whole, so that it is never half appended to; a
// large one is written in place.

import { dirname } from "node:path";
import type { TextEncoding } from "../../../src/contract/file.ts";
import type { FileAppendRequest, FileAppendResult } from "../../../src/contract/file-append.ts";
import { limits } from "../../../src/contract/limits.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { contentBytes } from "./content-bytes.ts";
import { hashFile } from "./file-hash.ts";
import { withEnding } from "./lf-view.ts";
import type { OpenedFile } from "./open-regular.ts";
import { readRange, readWhole } from "./read-chunks.ts";
import { makeParents, replaceFile } from "./replace-file.ts";
import type { PathRoots } from "./resolve-path.ts";
import { asText } from "./sniff.ts";
import { endingsOf } from "./text-body.ts";
import { encodeUtf16 } from "./utf16.ts";
import { hashFailure, openExisting, type Target, withFileLock, writtenReport } from "./with-file-lock.ts";
import { appendInPlace } from "./write-in-place.ts";

export async function appendFile(request: FileAppendRequest, roots: PathRoots): Promise<Result<FileAppendResult>> {
  const content = contentBytes(request.content, request.encoding);
  if (!content.ok) return content;
  return withFileLock(request.path, roots, (target) => appendOnce(request, target, content.value));
}

async function appendOnce(
  request: FileAppendRequest,
  target: Target,
  content: Buffer,
): Promise<Result<FileAppendResult> | "changed"> {
  const opened = await openExisting(target);
  if (opened !== null && !opened.ok) return opened;
  await using file = opened?.value ?? null;
  const changed = await hashFailure(target.path, request.expected_hash, file);
  if (changed !== null) return fail(changed);

  const tail = file === null ? EMPTY_TAIL : await tailOf(file);
  const added = request.encoding === "base64" ? content : fitText(request.content, tail);
  const outcome = request.dry_run ? "dry_run" : await put(target, file, added);
  if (outcome === "changed") return "changed";
  const before = file?.size ?? 0;
  const change = {
    after: added,
    version: file?.version ?? null,
    dryRun: request.dry_run,
    inPlace: outcome === "in_place",
    shown: null,
  };
  return succeed({
    ...writtenReport(target, change),
    size: before + added.length,
    sha256: request.dry_run ? null : await hashCurrent(target),
    appended_bytes: added.length,
    endings: endingsOf(tail.encoding === "utf-8" ? added : Buffer.from(request.content)),
    encoding: tail.encoding,
    continued_line: tail.isOpen,
  });
}

interface Tail {
  encoding: TextEncoding;
  /** The line ending that appended text is converted to; null to keep the text as it is. */
  ending: "\r\n" | null;
  /** The last line has no line ending. */
  isOpen: boolean;
}

const EMPTY_TAIL: Tail = { encoding: "utf-8", ending: null, isOpen: false };
const TAIL_BYTES = 16 * 1024;

async function tailOf({ handle, size }: OpenedFile): Promise<Tail> {
  const { encoding } = asText(await readRange(handle, 0, limits.fileSniffBytes));
  const bytes = await readRange(handle, Math.max(0, size - TAIL_BYTES), TAIL_BYTES);
  const tail = encoding === "utf-8" ? bytes : Buffer.from(new TextDecoder(encoding).decode(bytes));
  const isCrlf = endingsOf(tail) === "crlf" && !tail.includes(0);
  return { encoding, ending: isCrlf ? "\r\n" : null, isOpen: tail.length > 0 && tail.at(-1) !== 10 };
}

function fitText(text: string, { encoding, ending }: Tail): Buffer {
  const fitted = withEnding(text, ending);
  return encoding === "utf-8" ? Buffer.from(fitted) : encodeUtf16(fitted, encoding);
}

async function put({ real }: Target, file: OpenedFile | null, added: Buffer) {
  if (file === null) {
    await makeParents(dirname(real));
    return replaceFile(real, [added], null);
  }
  if (file.size <= limits.fileAppendCopyMaxBytes) {
    const before = await readWhole(file.handle, file.size, 2 * limits.fileAppendCopyMaxBytes);
    if (before !== null) return replaceFile(real, [before, added], file.version);
  }
  await appendInPlace(real, added);
  return "in_place";
}

async function hashCurrent(target: Target): Promise<string | null> {
  const opened = await openExisting(target);
  if (opened === null || !opened.ok) return null;
  await using file = opened.value;
  return await hashFile(file.handle, file.size);
}
