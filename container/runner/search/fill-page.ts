// What of the files that were found goes on the page: from the offset on, up to the limit, and no more text than it may have.

import type { SearchFile, SearchLine, SearchRequest } from "../../../src/contract/search.ts";
import { type FileHits, linesOf } from "./content.ts";
import type { Page } from "./page.ts";

export interface FilledPage {
  files: SearchFile[];
  /** Hits or files. */
  shown: number;
  more: boolean;
}

/** The heading of a file and the number of a line cost this much beside their text. */
const HEADING_CHARS = 80;
const NUMBER_CHARS = 40;
const INNER_NUMBER_CHARS = 10;

export function contentPage(page: Page<FileHits>, request: SearchRequest): FilledPage {
  const { offset, limit, before, after } = request;
  const files: SearchFile[] = [];
  let left = request.page_chars;
  let seen = 0;
  let shown = 0;
  for (const item of page.items()) {
    const from = Math.max(0, offset - seen);
    const to = Math.min(item.weight, offset + limit - seen);
    seen += item.weight;
    if (from >= to) continue;
    const whole = linesOf(item, { from, to, before, after });
    left -= item.path.length + HEADING_CHARS;
    const fits = hitsThatFit(whole.lines, left);
    // One hit is shown however long it is, so that the next page is another one.
    const taken = shown === 0 ? Math.max(1, fits) : fits;
    if (taken === 0) break;
    const file = taken < to - from ? linesOf(item, { from, to: from + taken, before, after }) : whole;
    files.push(file);
    shown += taken;
    if (taken < to - from) break;
    left -= file.lines.reduce((sum, line) => sum + cost(line), 0);
  }
  return { files, shown, more: offset + shown < page.hits };
}

export function listPage(
  found: readonly { path: string; count: number }[],
  filesInAll: number,
  request: SearchRequest,
): FilledPage {
  const files: SearchFile[] = [];
  let left = request.page_chars;
  for (const { path, count } of found.slice(request.offset, request.offset + request.limit)) {
    left -= path.length + NUMBER_CHARS;
    if (left < 0 && files.length > 0) break;
    files.push({ path, count, lines: [], invalid_utf8: false, binary_offset: null });
  }
  return { files, shown: files.length, more: request.offset + files.length < filesInAll };
}

function hitsThatFit(lines: readonly SearchLine[], chars: number): number {
  let left = chars;
  let hits = 0;
  for (const line of lines) {
    left -= cost(line);
    if (left < 0) return hits;
    if (line.hit) hits += 1;
  }
  return hits;
}

/** Each line of a hit over several has its number. */
const cost = ({ text }: SearchLine): number =>
  text.length + NUMBER_CHARS + INNER_NUMBER_CHARS * (text.match(/\n/g)?.length ?? 0);
