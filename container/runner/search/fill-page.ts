// Chooses what goes on the page: hits from the offset up to the limit, and no more text than the page may have.

import type { SearchFile, SearchLine, SearchRequest } from "../../../src/contract/search.ts";
import { type FileHits, linesOf } from "./content.ts";
import type { Page } from "./page.ts";

export interface FilledPage {
  files: SearchFile[];
  /** The number of hits or files. */
  shown: number;
  more: boolean;
}

/** What the heading of a file and the number of a line cost in addition to their text. */
const HEADING_CHARS = 80;
const NUMBER_CHARS = 40;
const INNER_NUMBER_CHARS = 10;

export function contentPage(page: Page<FileHits>, request: SearchRequest): FilledPage {
  const { offset, limit, before, after } = request;
  const files: SearchFile[] = [];
  let remaining = request.page_chars;
  let passed = 0;
  let shown = 0;
  for (const item of page.items()) {
    const from = Math.max(0, offset - passed);
    const to = Math.min(item.weight, offset + limit - passed);
    passed += item.weight;
    if (from >= to) continue;
    const whole = linesOf(item, { from, to, before, after });
    remaining -= item.path.length + HEADING_CHARS;
    const fits = hitsThatFit(whole.lines, remaining);
    // One hit is always shown, however long, so that the next page starts after it.
    const taken = shown === 0 ? Math.max(1, fits) : fits;
    if (taken === 0) break;
    const file = taken < to - from ? linesOf(item, { from, to: from + taken, before, after }) : whole;
    files.push(file);
    shown += taken;
    if (taken < to - from) break;
    remaining -= file.lines.reduce((sum, line) => sum + cost(line), 0);
  }
  return { files, shown, more: offset + shown < page.hits };
}

export function listPage(
  found: readonly { path: string; count: number }[],
  totalFiles: number,
  request: SearchRequest,
): FilledPage {
  const files: SearchFile[] = [];
  let remaining = request.page_chars;
  for (const { path, count } of found.slice(request.offset, request.offset + request.limit)) {
    remaining -= path.length + NUMBER_CHARS;
    if (remaining < 0 && files.length > 0) break;
    files.push({ path, count, lines: [], invalid_utf8: false, binary_offset: null });
  }
  return { files, shown: files.length, more: request.offset + files.length < totalFiles };
}

function hitsThatFit(lines: readonly SearchLine[], chars: number): number {
  let remaining = chars;
  let hits = 0;
  for (const line of lines) {
    remaining -= cost(line);
    if (remaining < 0) return hits;
    if (line.hit) hits += 1;
  }
  return hits;
}

/** A hit that spans several lines has a number for each. */
const cost = ({ text }: SearchLine): number =>
  text.length + NUMBER_CHARS + INNER_NUMBER_CHARS * (text.match(/\n/g)?.length ?? 0);
