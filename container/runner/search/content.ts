// Mode `content`: the matching lines, read from ripgrep's JSON.

import { resolve } from "node:path";
import type { SearchFile, SearchLine } from "../../../src/contract/search.ts";
import { findFirstPage, GRACE_MS, type RunOutcome, type RunSettings } from "./first-page.ts";
import { HitWindow } from "./hit-window.ts";
import { showLine } from "./line-window.ts";
import { isLineRecord, readMessage } from "./message.ts";
import { Page } from "./page.ts";
import { orderKey } from "./path-order.ts";
import { contentArguments, type Search } from "./rg-arguments.ts";
import { cleanPath, type RipgrepEnd, type RipgrepOptions, startRipgrep } from "./ripgrep.ts";

export interface FileHits {
  key: string;
  /** The number of hits. */
  weight: number;
  path: string;
  lines: SearchLine[];
  /** The index in the file of the first hit in `lines`. */
  firstHit: number;
  invalidUtf8: boolean;
  binaryOffset: number | null;
}

export interface Content extends RunOutcome {
  page: Page<FileHits>;
  end: RipgrepEnd;
}

export const findContent = (search: Search, options: RipgrepOptions): Promise<Content> =>
  findFirstPage((run) => readContent(search, run, options), {
    hitsMax: search.request.offset + search.request.limit + 1,
    signal: options.signal,
    single: search.root.isFile,
  });

async function readContent(search: Search, run: RunSettings, options: RipgrepOptions): Promise<Content> {
  const ripgrep = startRipgrep([...(run.sorted ? ["--sort=path"] : []), ...contentArguments(search)], {
    ...options,
    signal: run.signal,
  });
  run.progress.processorMs = ripgrep.processorMs;
  const reader = new ContentReader(search, run, options.workspace);
  let hasEnough = false;
  for await (const records of ripgrep.records("\n")) {
    for (const record of records) {
      if (!reader.read(record) || hasEnough) continue;
      hasEnough = true;
      ripgrep.stopSoon(GRACE_MS);
    }
  }
  const end = await ripgrep.end();
  return { page: reader.finish(), end, ended: end.code !== null ? "whole" : hasEnough ? "enough" : "stopped" };
}

class ContentReader {
  readonly #search: Search;
  readonly #run: RunSettings;
  readonly #workspace: string;
  readonly #page: Page<FileHits>;
  #file: (FileHits & { window: HitWindow }) | null = null;

  constructor(search: Search, run: RunSettings, workspace: string) {
    this.#search = search;
    this.#run = run;
    this.#workspace = workspace;
    this.#page = new Page(search.request.offset + search.request.limit);
  }

  /** Returns true when the run has found all that is needed. */
  read(record: Buffer): boolean {
    if (this.#file === null && isLineRecord(record)) return false;
    const message = readMessage(record);
    if (message.type === "begin") this.#begin(message.path.text, message.path.bytes !== null);
    const file = this.#file;
    if (file === null) return false;
    if (message.type === "line") {
      file.invalidUtf8 ||= message.lines.bytes !== null;
      file.window.push(
        showLine(message, { lineChars: this.#search.request.line_chars, file: resolve(this.#workspace, file.path) }),
      );
      if (message.hit) this.#run.progress.hits += 1;
    }
    if (message.type === "end") {
      file.binaryOffset = message.binaryOffset;
      this.#keepFile();
    }
    return (
      this.#run.progress.hits >= this.#run.hitsMax && (!this.#run.sorted || this.#file === null || file.window.complete)
    );
  }

  finish(): Page<FileHits> {
    this.#keepFile();
    return this.#page;
  }

  #begin(path: string, invalidUtf8: boolean): void {
    const { request, filter, root } = this.#search;
    this.#file = null;
    if (!root.isFile && !filter.accepts(path)) return;
    // A sorted run knows how many hits came before, so it keeps only the page's own. An unsorted run may need any of the first.
    const before = this.#run.sorted ? this.#page.hits : 0;
    const firstHit = this.#run.sorted ? Math.max(0, request.offset - before) : 0;
    const to = Math.max(firstHit, request.offset + request.limit - before);
    const shown = cleanPath(path);
    this.#file = {
      key: orderKey(shown),
      weight: 0,
      path: shown,
      lines: [],
      firstHit,
      invalidUtf8,
      binaryOffset: null,
      window: new HitWindow({ from: firstHit, to, before: request.before, after: request.after }),
    };
  }

  #keepFile(): void {
    const file = this.#file;
    this.#file = null;
    if (file === null || file.window.hits === 0) return;
    const { window, ...rest } = file;
    this.#page.add({ ...rest, weight: window.hits, lines: window.lines });
  }
}

/** The lines of one file that belong on the page; `from` and `to` count hits in the file. */
export function linesOf(
  file: FileHits,
  range: { from: number; to: number; before: number; after: number },
): SearchFile {
  const window = new HitWindow({ ...range, from: range.from - file.firstHit, to: range.to - file.firstHit });
  for (const line of file.lines) window.push(line);
  return {
    path: file.path,
    count: window.lines.filter(({ hit }) => hit).length,
    lines: window.lines,
    invalid_utf8: file.invalidUtf8,
    binary_offset: file.binaryOffset,
  };
}
