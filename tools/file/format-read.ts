// How what was read is worded for a model: what it is in one line, then its lines with their numbers, then how to read on.

import type { FileBytesResult } from "../../src/contract/file-bytes.ts";
import type { FileReadResult, TextWindow } from "../../src/contract/file-read.ts";
import { limits } from "../../src/contract/limits.ts";
import { formatBytes, formatExactBytes } from "../../src/format/format-bytes.ts";
import { formatCount } from "../../src/format/format-count.ts";
import { quoteShell } from "../../src/format/quote-shell.ts";
import { formatOmitted } from "../../src/format/truncate.ts";
import { hashOf, placeOf } from "./format-location.ts";

interface Asked {
  column: number;
  offset: number;
  /** The command that fetches the whole file from outside the machine. */
  download: string;
}

interface ReadAnswer {
  text: string;
  image?: { data: string; mimeType: string };
}

export function readAnswer(value: FileReadResult, asked: Asked): ReadAnswer {
  switch (value.type) {
    case "text":
      return { text: textAnswer(value, asked) };
    case "image":
      return imageAnswer(value, asked);
    case "pdf":
      return { text: pdfAnswer(value, asked) };
    case "binary":
      return {
        text: `${placeOf(value)}: ${value.what}, ${formatExactBytes(value.size)}${hashOf(value)}. Not text, so it has no lines. Its bytes: encoding: "base64" (encoding: "text" shows it as text all the same). Whole, outside the machine:\n${asked.download}`,
      };
  }
}

export function bytesText(value: FileBytesResult, download: string): string {
  const { offset, length, size } = value;
  const head = `${placeOf(value)}: ${value.what}, ${formatExactBytes(size)}${hashOf(value)}`;
  if (length === 0) return `${head}. No bytes at offset ${offset}: it ends before.`;
  const end = offset + length;
  const next =
    end < size
      ? `\n(${size - end} more bytes; read on with offset ${end}. Whole, outside the machine: ${download})`
      : "";
  return `${head}. Bytes ${offset}-${end - 1} as base64:\n${value.data}${next}`;
}

type Of<Type> = Extract<FileReadResult, { type: Type }>;

function textAnswer(value: Of<"text">, asked: Asked): string {
  const { text } = value;
  if (text.lines.length === 0) return emptyAnswer(value, asked.offset);
  // Files of the kernel say that they are empty.
  const size = value.size === 0 ? [] : [formatBytes(value.size)];
  const remarks = [rangeOf(text), ...size, ...textRemarks(text)];
  return `${placeOf(value)}: ${remarks.join(", ")}${hashOf(value)}\n${linesText(text, asked.column)}`;
}

function emptyAnswer(value: Of<"text">, offset: number): string {
  const total = value.text.total_lines;
  if (total === null)
    return `${placeOf(value)} was not read as far as offset ${offset}: it is too large, or has no end.`;
  if (total === 0) return `${placeOf(value)} is empty (0 bytes)${hashOf(value)}.`;
  return `${placeOf(value)} has ${formatCount(total, "line")}; offset ${offset} is past its end${hashOf(value)}.`;
}

function rangeOf({ first_line, lines, total_lines }: TextWindow): string {
  const last = first_line + lines.length - 1;
  const range = first_line === last ? `line ${first_line}` : `lines ${first_line} to ${last}`;
  if (total_lines !== null) return `${range} of ${total_lines}`;
  return first_line < 0 ? `${range}, counted from the end` : `${range} (too many to count them all)`;
}

function textRemarks(text: TextWindow): string[] {
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

function linesText(text: TextWindow, column: number): string {
  const cut = new Map(text.cut.map(({ index, chars }) => [index, chars]));
  const lines = text.lines.map((line, index) => {
    const number = text.first_line + index;
    const chars = cut.get(index);
    if (chars === undefined) return `${number}\t${line}`;
    const next = column + line.length;
    const omitted = formatOmitted(chars - next + 1, "character");
    return `${number}\t${line} ${omitted} (read on with offset ${number}, limit 1, column ${next})`;
  });
  return [...lines, ...readOn(text)].join("\n");
}

function readOn(text: TextWindow): string[] {
  if (text.reached_end) return [];
  const next = text.first_line + text.lines.length;
  const left = text.total_lines === null ? "more lines" : formatCount(text.total_lines - next + 1, "more line");
  return [`(${left}; read on with offset ${next})`];
}

function imageAnswer(value: Of<"image">, { download }: Asked): ReadAnswer {
  const { width, height, data, mime_type } = value;
  const head = `${placeOf(value)}: ${mime_type.slice("image/".length).toUpperCase()} image, ${width}x${height} px, ${formatExactBytes(value.size)}${hashOf(value)}.`;
  if (data !== null) return { text: head, image: { data, mimeType: mime_type } };
  const most = `${limits.imageSideMax} px a side and ${formatBytes((limits.imageBase64MaxChars * 3) / 4)}`;
  const source = quoteShell(value.real_path ?? value.path);
  return {
    text: `${head} Not shown: clients take images up to ${most}. Make a smaller copy with exec and read that, with ImageMagick:\nconvert ${source} -resize '1568x1568>' -quality 80 /tmp/small.jpg\nor with ffmpeg:\nffmpeg -v error -y -i ${source} -vf "scale='min(1568,iw)':'min(1568,ih)':force_original_aspect_ratio=decrease" /tmp/small.jpg\nThe file itself, outside the machine:\n${download}`,
  };
}

function pdfAnswer(value: Of<"pdf">, asked: Asked): string {
  const pages = value.pages === null ? "" : `, ${formatCount(value.pages, "page")}`;
  const head = `${placeOf(value)}: PDF${pages}, ${formatExactBytes(value.size)}${hashOf(value)}`;
  const { text } = value;
  if (text === null)
    return `${head}. Its text is not shown: the machine has no pdftotext (package poppler-utils), or the file has no text.`;
  if (text.lines.length === 0)
    return `${head}. Its text has ${formatCount(text.total_lines ?? 0, "line")}; offset ${asked.offset} is past its end.`;
  return `${head}. Its text, ${rangeOf(text)}:\n${linesText(text, asked.column)}`;
}
