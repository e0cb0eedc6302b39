// file-read: lines of a text, an image small enough for clients, the text of a PDF, or what a file is.

import type { FileReadRequest, FileReadResult } from "../../../src/contract/file-read.ts";
import { limits } from "../../../src/contract/limits.ts";
import { type Result, succeed } from "../../../src/contract/result.ts";
import { hashFile } from "./file-hash.ts";
import { isWholeImage } from "./image-end.ts";
import { IMAGE_HEAD_BYTES, imageSize } from "./image-size.ts";
import { type Opened, openRegular } from "./open-regular.ts";
import { readPdf } from "./pdf.ts";
import { readRange, readWhole } from "./read-chunks.ts";
import { placeReport, realTarget } from "./real-path.ts";
import { type FilePlace, namePath } from "./resolve-path.ts";
import { asText, describe, type Sniffed, sniff } from "./sniff.ts";
import { guarded } from "./system-failure.ts";
import { readWindow } from "./text-window.ts";

export async function readFile(request: FileReadRequest, place: FilePlace): Promise<Result<FileReadResult>> {
  const named = namePath(request.path, place);
  if (!named.ok) return named;
  const path = named.value.absolute;
  return guarded(path, async () => {
    const real = await realTarget(path);
    const opened = await openRegular(path, real);
    if (!opened.ok) return opened;
    await using file = opened.value;
    return succeed({ ...placeReport(path, real), ...(await readOpened(file, real, request)) });
  });
}

type Found = FileReadResult extends infer Each
  ? Each extends unknown
    ? Omit<Each, "path" | "real_path">
    : never
  : never;

async function readOpened(file: Opened, real: string, request: FileReadRequest): Promise<Found> {
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

/** Null for a file that begins as an image and goes on as none, or breaks off. */
async function readImage({ handle, size }: Opened, mimeType: string) {
  const dimensions = imageSize(await readRange(handle, 0, Math.min(size, IMAGE_HEAD_BYTES)), mimeType);
  if (dimensions === null) return null;
  const fits =
    Math.max(dimensions.width, dimensions.height) <= limits.imageSideMax &&
    Math.ceil(size / 3) * 4 <= limits.imageBase64MaxChars;
  const data = fits ? await readWhole(handle, size, limits.imageBase64MaxChars) : null;
  if (data !== null && !isWholeImage(data, mimeType)) return null;
  return { mime_type: mimeType, ...dimensions, data: data?.toString("base64") ?? null };
}
