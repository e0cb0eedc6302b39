// file-read: lines of a text, an image small enough for clients, the text of a PDF, or the format of any other file.

import type { FileReadRequest, FileReadResult } from "../../../src/contract/file-read.ts";
import { limits } from "../../../src/contract/limits.ts";
import { type Result, succeed } from "../../../src/contract/result.ts";
import { hashFile } from "./file-hash.ts";
import { isWholeImage } from "./image-end.ts";
import { IMAGE_HEAD_BYTES, imageSize } from "./image-size.ts";
import { type OpenedFile, openRegular } from "./open-regular.ts";
import { readPdf } from "./pdf.ts";
import { readRange, readWhole } from "./read-chunks.ts";
import { pathReport, realTarget } from "./real-path.ts";
import { type PathRoots, resolvePath } from "./resolve-path.ts";
import { asText, describe, type Sniffed, sniff } from "./sniff.ts";
import { asFailure } from "./system-failure.ts";
import { readWindow } from "./text-window.ts";

export async function readFile(request: FileReadRequest, roots: PathRoots): Promise<Result<FileReadResult>> {
  const resolved = resolvePath(request.path, roots);
  if (!resolved.ok) return resolved;
  const path = resolved.value.absolute;
  return asFailure(path, async () => {
    const real = await realTarget(path);
    const opened = await openRegular(path, real);
    if (!opened.ok) return opened;
    await using file = opened.value;
    return succeed({ ...pathReport(path, real), ...(await readOpened(file, real, request)) });
  });
}

type Found = FileReadResult extends infer Each
  ? Each extends unknown
    ? Omit<Each, "path" | "real_path">
    : never
  : never;

async function readOpened(file: OpenedFile, real: string, request: FileReadRequest): Promise<Found> {
  const { handle, size } = file;
  const head = await readRange(handle, 0, limits.fileSniffBytes);
  const sniffed: Sniffed = request.force_text ? asText(head) : sniff(head);
  if (sniffed.type === "text")
    return { type: "text", size, ...(await readWindow({ ...sniffed, handle, size }, request)) };
  const sha256 = await hashFile(handle, size);
  if (sniffed.type === "pdf") return { type: "pdf", size, sha256, ...(await readPdf(handle, real, request)) };
  const image = sniffed.type === "image" ? await readImage(file, sniffed.mimeType) : null;
  return image === null
    ? {
        type: "binary",
        size,
        sha256,
        what: sniffed.type === "image" ? `${describe(sniffed)}, damaged or cut off` : describe(sniffed),
      }
    : { type: "image", size, sha256, ...image };
}

/** Null for a file that begins like an image but is damaged or cut off. */
async function readImage({ handle, size }: OpenedFile, mimeType: string) {
  const dimensions = imageSize(await readRange(handle, 0, Math.min(size, IMAGE_HEAD_BYTES)), mimeType);
  if (dimensions === null) return null;
  const fits =
    Math.max(dimensions.width, dimensions.height) <= limits.imageSideMax &&
    Math.ceil(size / 3) * 4 <= limits.imageBase64MaxChars;
  const data = fits ? await readWhole(handle, size, limits.imageBase64MaxChars) : null;
  if (data !== null && !isWholeImage(data, mimeType)) return null;
  return { mime_type: mimeType, ...dimensions, data: data?.toString("base64") ?? null };
}
