// file-bytes: a range of a file as it is.

import type { FileBytesRequest, FileBytesResult } from "../../../src/contract/file-bytes.ts";
import { limits } from "../../../src/contract/limits.ts";
import { type Result, succeed } from "../../../src/contract/result.ts";
import { hashFile } from "./file-hash.ts";
import { openRegular } from "./open-regular.ts";
import { readRange } from "./read-chunks.ts";
import { placeReport, realTarget } from "./real-path.ts";
import { type FilePlace, namePath } from "./resolve-path.ts";
import { describe, sniff } from "./sniff.ts";
import { guarded } from "./system-failure.ts";

export async function readBytes(request: FileBytesRequest, place: FilePlace): Promise<Result<FileBytesResult>> {
  const named = namePath(request.path, place);
  if (!named.ok) return named;
  const path = named.value.absolute;
  return guarded(path, async () => {
    const real = await realTarget(path);
    const opened = await openRegular(path, real);
    if (!opened.ok) return opened;
    await using file = opened.value;
    const { handle, size } = file;
    const offset = request.offset >= 0 ? request.offset : Math.max(0, size + request.offset);
    const bytes = await readRange(handle, offset, request.length);
    return succeed({
      ...placeReport(path, real),
      size,
      sha256: await hashFile(handle, size),
      what: describe(sniff(await readRange(handle, 0, limits.fileSniffBytes))),
      offset,
      length: bytes.length,
      data: bytes.toString("base64"),
    });
  });
}
