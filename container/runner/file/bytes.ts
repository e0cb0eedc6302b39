// file-bytes: a range of a file's bytes, unchanged.

import type { FileBytesRequest, FileBytesResult } from "../../../src/contract/file-bytes.ts";
import { limits } from "../../../src/contract/limits.ts";
import { type Result, succeed } from "../../../src/contract/result.ts";
import { hashFile } from "./file-hash.ts";
import { openRegular } from "./open-regular.ts";
import { readRange } from "./read-chunks.ts";
import { pathReport, realTarget } from "./real-path.ts";
import { type PathRoots, resolvePath } from "./resolve-path.ts";
import { describe, sniff } from "./sniff.ts";
import { asFailure } from "./system-failure.ts";

export async function readBytes(request: FileBytesRequest, roots: PathRoots): Promise<Result<FileBytesResult>> {
  const resolved = resolvePath(request.path, roots);
  if (!resolved.ok) return resolved;
  const path = resolved.value.absolute;
  return asFailure(path, async () => {
    const real = await realTarget(path);
    const opened = await openRegular(path, real);
    if (!opened.ok) return opened;
    await using file = opened.value;
    const { handle, size } = file;
    const offset = request.offset >= 0 ? request.offset : Math.max(0, size + request.offset);
    const bytes = await readRange(handle, offset, request.length);
    return succeed({
      ...pathReport(path, real),
      size,
      sha256: await hashFile(handle, size),
      what: describe(sniff(await readRange(handle, 0, limits.fileSniffBytes))),
      offset,
      length: bytes.length,
      data: bytes.toString("base64"),
    });
  });
}
