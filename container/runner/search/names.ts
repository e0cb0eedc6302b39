// Mode `names`: the paths that match a glob, the most recently changed first.

import { lstatSync } from "node:fs";
import { resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { Page, type Weighed } from "./page.ts";
import { orderKey } from "./path-order.ts";
import { namesArguments, type Search } from "./rg-arguments.ts";
import { cleanPath, type RipgrepEnd, type RipgrepOptions, startRipgrep } from "./ripgrep.ts";

export interface NamedFile extends Weighed {
  path: string;
}

export interface Names {
  page: Page<NamedFile>;
  end: RipgrepEnd;
}

/**
 * How many files are stat'ed at once, which takes a few milliseconds, before other work gets its turn. Synchronous calls cost far
 * less than promises.
 */
const BATCH = 500;

export async function findNames(search: Search, options: RipgrepOptions): Promise<Names> {
  const { request, filter, root } = search;
  const page = new Page<NamedFile>(request.offset + request.limit);
  const ripgrep = startRipgrep(namesArguments(search), options);
  for await (const records of ripgrep.records("\0")) {
    const paths = records.map((record) => cleanPath(record.toString("utf8")));
    const accepted = paths.filter((path) => root.isFile || filter.accepts(path));
    for (let at = 0; at < accepted.length; at += BATCH) {
      const batch = accepted.slice(at, at + BATCH);
      for (const path of batch)
        page.add({ path, weight: 1, key: newestFirst(modifiedMs(resolve(options.workspace, path)), path) });
      if (at + BATCH < accepted.length) await setImmediate();
    }
  }
  return { page, end: await ripgrep.end() };
}

/** In milliseconds since the epoch; 0 for a file that has been deleted since. */
const modifiedMs = (path: string): number => lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** A key that sorts the newest first, then by path. */
const newestFirst = (mtimeMs: number, path: string): string =>
  `${Math.max(1e15, Math.round((LATEST_MS - mtimeMs) * 1000))}\0${orderKey(path)}`;

/** Later than any time that a file can have, so that the difference always has the same number of digits. */
const LATEST_MS = 4.5e12;
