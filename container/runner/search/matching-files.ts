// Modes `files_with_matches` and `count`: the files that match, and in how many lines.

import { cleanPath } from "./clean-path.ts";
import { type Gathered, GRACE_MS, gather, type Run } from "./first-page.ts";
import { Page } from "./page.ts";
import { orderKey } from "./path-order.ts";
import { listArguments, type Search } from "./rg-arguments.ts";
import { type RipgrepEnd, type RipgrepOptions, startRipgrep } from "./ripgrep.ts";

export interface FoundFile {
  key: string;
  weight: 1;
  path: string;
  /** Matching lines for `count`, else 0. */
  lines: number;
}

export interface MatchingFiles extends Gathered {
  page: Page<FoundFile>;
  /** Matching lines of all files. */
  lines: number;
  end: RipgrepEnd;
}

export function findMatchingFiles(search: Search, options: RipgrepOptions): Promise<MatchingFiles> {
  const { mode, offset, limit } = search.request;
  const hitsMax = offset + limit + 1;
  // Counts are wanted for their sum, so the run goes to its end anyway.
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
  return gather((run) => readFiles(search, run, options), {
    hitsMax,
    signal: options.signal,
    single: search.root.isFile,
  });
}

async function readFiles(search: Search, run: Run, options: RipgrepOptions): Promise<MatchingFiles> {
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
  const enough = run.progress.hits >= run.hitsMax;
  return { page, lines, end, ended: end.code !== null ? "whole" : enough ? "enough" : "stopped" };
}

async function* singles(batches: AsyncIterable<Buffer[]>): AsyncGenerator<{ path: string; lines: number }> {
  for await (const records of batches) for (const record of records) yield { path: record.toString("utf8"), lines: 0 };
}

/** `path NUL count newline`; a newline before the NUL belongs to the path. */
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
