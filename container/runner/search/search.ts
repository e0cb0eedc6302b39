// The operation `search`: resolves the request, runs ripgrep, and returns one page of results, or why there are none.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "../../../src/contract/limits.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import type { SearchFile, SearchRequest, SearchResult } from "../../../src/contract/search.ts";
import type { PathRoots } from "../file/resolve-path.ts";
import { findContent } from "./content.ts";
import { contentPage, listPage } from "./fill-page.ts";
import { isIgnored } from "./ignored-root.ts";
import { findMatchingFiles } from "./matching-files.ts";
import { findNames } from "./names.ts";
import { makePathFilter } from "./path-filter.ts";
import type { Search } from "./rg-arguments.ts";
import type { RipgrepEnd, RipgrepOptions } from "./ripgrep.ts";
import { requestFailure, unreadablePaths } from "./ripgrep-errors.ts";
import { resolveRoot, type SearchRoot } from "./search-root.ts";
import { whyEmpty } from "./why-empty.ts";

export interface SearchOptions extends PathRoots {
  /** The ripgrep to run: a path, or a name to look up in PATH. */
  ripgrep: string;
}

export async function search(request: SearchRequest, options: SearchOptions): Promise<Result<SearchResult>> {
  const withNul = [
    ["pattern", request.pattern],
    ...request.globs.map((glob) => ["glob", glob]),
    ["type", request.type],
  ].find(([, text]) => text?.includes("\0"));
  if (withNul !== undefined)
    return fail({
      reason: "invalid_request",
      message: `A ${withNul[0]} cannot contain a NUL character. Leave it out.`,
    });
  const resolved = await resolveSearch(request, options);
  if (!resolved.ok) return resolved;
  const signal = AbortSignal.timeout(limits.searchMaxMs);
  const ripgrep: RipgrepOptions = { program: options.ripgrep, workspace: options.workspace, signal };
  try {
    const found = await find(resolved.value, ripgrep);
    return await conclude(resolved.value, found, ripgrep);
  } catch (error) {
    if (!(error instanceof Error) || !("syscall" in error) || !String(error.syscall).startsWith("spawn")) throw error;
    return fail({
      reason: "refused",
      subject: `ripgrep ("${options.ripgrep}") cannot be run in this machine`,
      message: `${error.message}. Install it there as rg, or search with grep through exec.`,
    });
  }
}

async function resolveSearch(request: SearchRequest, options: SearchOptions): Promise<Result<Search>> {
  const resolved = await resolveRoot(request.path, options);
  if (!resolved.ok) return resolved;
  const filter = filterOf(request, resolved.value, options);
  if (!filter.ok) return filter;
  const root = await narrowRoot(resolved.value, filter.value.directory, options);
  const rootIgnored = !root.isFile && root.absolute !== options.workspace && (await isIgnored(root.absolute));
  return succeed({ request, root, filter: filter.value, rootIgnored, anySize: false });
}

const filterOf = (request: SearchRequest, root: SearchRoot, { workspace }: PathRoots) =>
  makePathFilter({
    globLists: request.mode === "names" ? [request.globs, [request.pattern]] : [request.globs],
    ignoreCase: request.mode === "names" && request.ignore_case,
    type: request.type,
    workspace,
    root: root.absolute,
  });

/** A glob that begins with a directory is searched for from there: that reads less, and finds a hidden directory. */
async function narrowRoot(root: SearchRoot, directory: string, roots: PathRoots): Promise<SearchRoot> {
  if (directory === "" || root.isFile) return root;
  for (const from of [root.absolute, roots.workspace, "/"]) {
    const absolute = join(from, directory);
    if (absolute !== root.absolute && !absolute.startsWith(join(root.absolute, "/"))) continue;
    const found = await stat(absolute).catch(() => null);
    if (found?.isDirectory() === true) return (await asRoot(absolute, roots)) ?? root;
  }
  return root;
}

async function asRoot(absolute: string, roots: PathRoots): Promise<SearchRoot | null> {
  const found = await resolveRoot(absolute, roots);
  return found.ok ? found.value : null;
}

interface Found {
  files: SearchFile[];
  shown: number;
  more: boolean;
  total: SearchResult["total"];
  end: RipgrepEnd;
}

async function find(search: Search, ripgrep: RipgrepOptions): Promise<Found> {
  const { request } = search;
  if (request.mode === "content") {
    const { page, end, ended } = await findContent(search, ripgrep);
    const total = ended === "whole" ? { hits: page.hits, files: page.files } : null;
    return { ...contentPage(page, request), total, end };
  }
  if (request.mode === "names") {
    const { page, end } = await findNames(search, ripgrep);
    const files = page.items().map(({ path }) => ({ path, count: 0 }));
    return {
      ...listPage(files, page.files, request),
      total: end.code === null ? null : { hits: 0, files: page.files },
      end,
    };
  }
  const { page, lines, end, ended } = await findMatchingFiles(search, ripgrep);
  const files = page.items().map((file) => ({ path: file.path, count: file.lines }));
  const total = ended === "whole" ? { hits: lines, files: page.files } : null;
  return { ...listPage(files, page.files, request), total, end };
}

async function conclude(
  search: Search,
  { end, ...found }: Found,
  ripgrep: RipgrepOptions,
): Promise<Result<SearchResult>> {
  const unreadable = end.code === 2 ? unreadablePaths(end.stderr) : { count: 0, examples: [] };
  if (unreadable === null) return fail(await requestFailure(search.request, end.stderr, ripgrep));
  const { request } = search;
  const timedOut = ripgrep.signal.aborted && found.total === null;
  const nothing = found.total?.files === 0 && !timedOut;
  const unrestricted = nothing
    ? filterOf({ ...request, globs: [], type: null, mode: "content" }, search.root, { ...ripgrep, home: "" })
    : null;
  const empty = unrestricted?.ok === true ? await whyEmpty(search, unrestricted.value, ripgrep) : null;
  return succeed({ ...found, timed_out: timedOut, unreadable, empty });
}
