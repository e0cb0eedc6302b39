// Reads a PDF: the number of pages, and the text if the machine has a program that extracts it.

import { spawn } from "node:child_process";
import type { FileHandle } from "node:fs/promises";
import type { TextWindow } from "../../../src/contract/file-read.ts";
import { readChunks } from "./read-chunks.ts";
import { type Wanted, windowOf } from "./text-window.ts";

const EXTRACT_MS = 20_000;
const FORM_FEED = 12;
/** Longer than any page mark that may lie across two chunks. */
const OVERLAP = 64;

export async function readPdf(
  handle: FileHandle,
  real: string,
  wanted: Wanted,
): Promise<{ pages: number | null; text: TextWindow | null }> {
  const extracted = await extract(real, await fromStart(real, wanted));
  return extracted ?? { pages: await countPageMarks(handle), text: null };
}

/** Converts an offset from the end to one from the start, which takes a run of its own to count the lines. */
async function fromStart(real: string, wanted: Wanted): Promise<Wanted> {
  if (wanted.offset >= 0) return { ...wanted, offset: Math.max(1, wanted.offset) };
  const whole = await extract(real, { ...wanted, offset: 1, limit: 1 });
  return { ...wanted, offset: Math.max(1, (whole?.text.total_lines ?? 0) + wanted.offset + 1) };
}

/** `pdftotext` ends each page with a form feed. Null when there is no such program, or it finds no text. */
async function extract(real: string, wanted: Wanted): Promise<{ pages: number; text: TextWindow } | null> {
  const child = spawn("pdftotext", ["-layout", "-enc", "UTF-8", real, "-"], { stdio: ["ignore", "pipe", "ignore"] });
  const exit = new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", (code) => resolve(code));
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), EXTRACT_MS);
  try {
    const counted = { pages: 0 };
    const text = await windowOf(withoutFormFeeds(child.stdout, counted), wanted);
    return (await exit) === 0 && counted.pages > 0 ? { pages: counted.pages, text } : null;
  } finally {
    clearTimeout(timer);
  }
}

async function* withoutFormFeeds(source: AsyncIterable<unknown>, counted: { pages: number }): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    if (!Buffer.isBuffer(chunk)) continue;
    for (let at = chunk.indexOf(FORM_FEED); at !== -1; at = chunk.indexOf(FORM_FEED, at + 1)) counted.pages++;
    yield Buffer.from(chunk.filter((byte) => byte !== FORM_FEED));
  }
}

/** Counts uncompressed page objects, or takes the largest count in a page tree. Null when both are in compressed objects. */
async function countPageMarks(handle: FileHandle): Promise<number | null> {
  let pages = 0;
  let stated = 0;
  let carried = "";
  for await (const chunk of readChunks(handle, 0)) {
    const text = carried + chunk.toString("latin1");
    const settled = text.length - OVERLAP;
    for (const { index } of text.matchAll(/\/Type\s*\/Page(?![A-Za-z])/g)) if (index < settled) pages++;
    for (const match of text.matchAll(/\/Count\s+(\d+)/g)) stated = Math.max(stated, Number(match[1]));
    carried = text.slice(Math.max(0, settled));
  }
  pages += [...carried.matchAll(/\/Type\s*\/Page(?![A-Za-z])/g)].length;
  return Math.max(pages, stated) || null;
}
