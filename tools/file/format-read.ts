// Formats what was read for a model: what the file is in one line, then numbered lines, then how to read on.

import type { FileBytesResult } from "../../src/contract/file-bytes.ts";
import type { FileReadResult, TextWindow } from "../../src/contract/file-read.ts";
import { limits } from "../../src/contract/limits.ts";
import { formatBytes, formatExactBytes } from "../../src/format/format-bytes.ts";
import { formatCount } from "../../src/format/format-count.ts";
import { quoteShell } from "../../src/format/quote-shell.ts";
import { formatOmitted } from "../../src/format/truncate.ts";
import { content } from "../answer.ts";
import type { Outcome } from "../tool.ts";
import { formatHash, formatLocation } from "./format-location.ts";

interface ReadContext {
  column: number;
  offset: number;
  /** The command that fetches the whole file from outside the machine. */
  download: string;
}

export function readOutcome(value: FileReadResult, context: ReadContext): Outcome {
  switch (value.type) {
    case "text":
      return content(formatText(value, context));
    case "image":
      return imageOutcome(value, context);
    case "pdf":
      return content(formatPdf(value, context));
    case "binary":
      return content(
        `${formatLocation(value)}: ${value.what}, ${formatExactBytes(value.size)}${formatHash(value)}. It is not text, so it has no lines. To read its bytes: encoding: "base64" (encoding: "text" shows it as text anyway). To download the whole file:\n${context.download}`,
      );
  }
}

export function formatBytesRead(value: FileBytesResult, download: string): string {
  const { offset, length, size } = value;
  const head = `${formatLocation(value)}: ${value.what}, ${formatExactBytes(size)}${formatHash(value)}`;
  if (length === 0) return `${head}. There are no bytes at offset ${offset}, which is past its end.`;
  const end = offset + length;
  const next =
    end < size
      ? `\n(${formatCount(size - end, "more byte")}; read on with offset ${end}. To download the whole file: ${download})`
      : "";
  return `${head}. Bytes ${offset}-${end - 1} as base64:\n${value.data}${next}`;
}

type Of<Type> = Extract<FileReadResult, { type: Type }>;

function formatText(value: Of<"text">, context: ReadContext): string {
  const { text } = value;
  if (text.lines.length === 0) return formatNoLines(value, context.offset);
  // Files of the kernel report a size of 0.
  const size = value.size === 0 ? [] : [formatBytes(value.size)];
  const remarks = [formatRange(text), ...size, ...formatTextRemarks(text)];
  return `${formatLocation(value)}: ${remarks.join(", ")}${formatHash(value)}\n${formatLines(text, context.column)}`;
}

function formatNoLines(value: Of<"text">, offset: number): string {
  const total = value.text.total_lines;
  if (total === null)
    return `${formatLocation(value)} was not read as far as offset ${offset}: it is too large, or has no end.`;
  if (total === 0) return `${formatLocation(value)} is empty (0 bytes)${formatHash(value)}.`;
  return `${formatLocation(value)} has ${formatCount(total, "line")}; offset ${offset} is past its end${formatHash(value)}.`;
}

function formatRange({ first_line, lines, total_lines }: TextWindow): string {
  const last = first_line + lines.length - 1;
  const range = first_line === last ? `line ${first_line}` : `lines ${first_line} to ${last}`;
  if (total_lines !== null) return `${range} of ${total_lines}`;
  return first_line < 0 ? `${range}, counted from the end` : `${range} (too many to count them all)`;
}

function formatTextRemarks(text: TextWindow): string[] {
  const remarks: string[] = [];
  if (text.encoding !== "utf-8") remarks.push(`${text.encoding.toUpperCase()}, decoded here`);
  else if (text.bom) remarks.push("begins with a byte order mark");
  if (text.endings === "crlf") remarks.push("CRLF line endings");
  if (text.endings === "mixed") remarks.push("mixed line endings (CRLF and LF)");
  if (text.final_newline === false && text.reached_end) remarks.push("no newline at the end");
  if (text.invalid_utf8 && text.encoding !== "utf-8")
    remarks.push(
      `not all of it ${text.encoding.slice(0, 6).toUpperCase()}: other bytes are shown as \uFFFD, and edits refuse the file`,
    );
  else if (text.invalid_utf8) remarks.push("not all of it UTF-8: other bytes are shown as \uFFFD and kept by edits");
  return remarks;
}

function formatLines(text: TextWindow, column: number): string {
  const cut = new Map(text.cut.map(({ index, chars }) => [index, chars]));
  const lines = text.lines.map((line, index) => {
    const number = text.first_line + index;
    const chars = cut.get(index);
    if (chars === undefined) return `${number}\t${line}`;
    const next = column + line.length;
    const omitted = formatOmitted(chars - next + 1, "character");
    return `${number}\t${line} ${omitted} (read on with offset ${number}, limit 1, column ${next})`;
  });
  return [...lines, ...formatNext(text)].join("\n");
}

function formatNext(text: TextWindow): string[] {
  if (text.reached_end) return [];
  const next = text.first_line + text.lines.length;
  const remaining = text.total_lines === null ? "more lines" : formatCount(text.total_lines - next + 1, "more line");
  return [`(${remaining}; read on with offset ${next})`];
}

function imageOutcome(value: Of<"image">, { download }: ReadContext): Outcome {
  const { width, height, data, mime_type } = value;
  const head = `${formatLocation(value)}: ${mime_type.slice("image/".length).toUpperCase()} image, ${width}x${height} px, ${formatExactBytes(value.size)}${formatHash(value)}.`;
  if (data !== null) return { type: "image", text: head, image: { data, mimeType: mime_type } };
  const most = `${limits.imageSideMax} px a side and ${formatBytes((limits.imageBase64MaxChars * 3) / 4)}`;
  const source = quoteShell(value.real_path ?? value.path);
  return content(
    `${head} Not shown: clients take images up to ${most}. Make a smaller copy with exec and read that, with ImageMagick:\nconvert ${source} -resize '1568x1568>' -quality 80 /tmp/small.jpg\nor with ffmpeg:\nffmpeg -v error -y -i ${source} -vf "scale='min(1568,iw)':'min(1568,ih)':force_original_aspect_ratio=decrease" /tmp/small.jpg\nTo download the whole file:\n${download}`,
  );
}

function formatPdf(value: Of<"pdf">, context: ReadContext): string {
  const pages = value.pages === null ? "" : `, ${formatCount(value.pages, "page")}`;
  const head = `${formatLocation(value)}: PDF${pages}, ${formatExactBytes(value.size)}${formatHash(value)}`;
  const { text } = value;
  if (text === null)
    return `${head}. Its text is not shown: the machine has no pdftotext (package poppler-utils), or the file has no text.`;
  if (text.lines.length === 0)
    return `${head}. Its text has ${formatCount(text.total_lines ?? 0, "line")}; offset ${context.offset} is past its end.`;
  return `${head}. Its text, ${formatRange(text)}:\n${formatLines(text, context.column)}`;
}
