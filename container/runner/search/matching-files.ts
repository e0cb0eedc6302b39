// Modes `files_with_matches` and `count`: the files that match, with their number of matching lines for `count`.

import { findFirstPage, GRACE_MS, type RunOutcome, type RunSettings } from "./first-page.ts";
import { Page } from "./page.ts";
import { orderKey } from "./path-order.ts";
import { listArguments, type Search } from "./rg-arguments.ts";
import { cleanPath, type RipgrepEnd, type RipgrepOptions, startRipgrep } from "./ripgrep.ts";

export interface FoundFile {
  key: string;
  weight: 1;
  path: string;
  /** The number of matching lines for `count`, else 0. */
  lines: number;
}

export interface MatchingFiles extends RunOutcome {
  page: Page<FoundFile>;
  /** The number of matching lines in all files. */
  lines: number;
  end: RipgrepEnd;
}

export function findMatchingFiles(search: Search, options: RipgrepOptions): Promise<MatchingFiles> {
  const { mode, offset, limit } = search.request;
  const hitsMax = offset + limit + 1;
  // The sum of all counts is needed, so the run goes to its end anyway.
  if (mode === "count")
    return readFiles(
      search,
      {
        sorted: false,
        signal: options.signal,
        hitsMax: Number.POSITIVE_INFINITY,
        progress: { hits: 0, processorMs: () => 0 },
      },
      options,
    );
  return findFirstPage((run) => readFiles(search, run, options), {
    hitsMax,
    signal: options.signal,
    single: search.root.isFile,
  });
}

async function readFiles(search: Search, run: RunSettings, options: RipgrepOptions): Promise<MatchingFiles> {
  const { request, filter, root } = search;
  const counting = request.mode === "count";
  const page = new Page<FoundFile>(request.offset + request.limit);
  const list = listArguments(search, counting ? "--count" : "--files-with-matches");
  const ripgrep = startRipgrep([...(run.sorted ? ["--sort=path"] : []), ...list], { ...options, signal: run.signal });
  run.progress.processorMs = ripgrep.processorMs;
  const found = counting ? pairs(ripgrep.records("\n")) : singles(ripgrep.records("\0"));
  let lines = 0;
  for await (const file of found) {
    const path = cleanPath(file.path);
    if (!root.isFile && !filter.accepts(path)) continue;
    page.add({ key: orderKey(path), weight: 1, path, lines: file.lines });
    lines += file.lines;
    run.progress.hits += 1;
    if (run.progress.hits === run.hitsMax) ripgrep.stopSoon(GRACE_MS);
  }
  const end = await ripgrep.end();
  const hasEnough = run.progress.hits >= run.hitsMax;
  return { page, lines, end, ended: end.code !== null ? "whole" : hasEnough ? "enough" : "stopped" };
}

async function* singles(batches: AsyncIterable<Buffer[]>): AsyncGenerator<{ path: string; lines: number }> {
  for await (const records of batches) for (const record of records) yield { path: record.toString("utf8"), lines: 0 };
}

/** Parses `path NUL count newline`; a newline before the NUL belongs to the path. */
async function* pairs(batches: AsyncIterable<Buffer[]>): AsyncGenerator<{ path: string; lines: number }> {
  let path = "";
  for await (const records of batches) {
    for (const record of records) {
      const end = record.indexOf(0);
      if (end === -1) path += `${record.toString("utf8")}\n`;
      else {
        yield { path: path + record.toString("utf8", 0, end), lines: Number(record.toString("utf8", end + 1)) };
        path = "";
      }
    }
  }
}
