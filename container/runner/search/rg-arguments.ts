// Turns a search request into arguments for ripgrep. Text from the caller is always one whole argument, or follows `--`.

import { limits } from "../../../src/contract/limits.ts";
import type { SearchRequest } from "../../../src/contract/search.ts";
import type { PathFilter } from "./path-filter.ts";
import type { SearchRoot } from "./search-root.ts";

export interface Search {
  request: SearchRequest;
  root: SearchRoot;
  filter: PathFilter;
  /** Ignore files above the root ignore it. */
  rootIgnored: boolean;
  /** Files over the size limit are searched too. */
  anySize: boolean;
}

/** Arguments that select files, for every kind of run. */
function fileArguments({ request, filter, rootIgnored, anySize }: Search): string[] {
  // A match across lines needs the whole file in memory. Otherwise the size does not matter, and checking it costs a sixth more.
  const bounded = spansLines(request) && !anySize;
  return [
    "--no-require-git",
    ...(bounded ? [`--max-filesize=${limits.searchMultilineFileMaxBytes}`] : []),
    ...(request.hidden ? ["--hidden"] : []),
    ...(request.no_ignore ? ["--no-ignore"] : rootIgnored ? ["--no-ignore-parent"] : []),
    ...filter.arguments,
  ];
}

/** Arguments for matching, for runs that search in files. */
function matchArguments(request: SearchRequest): string[] {
  return [
    ...(request.literal ? ["--fixed-strings"] : []),
    request.ignore_case ? "--ignore-case" : "--case-sensitive",
    ...(spansLines(request) ? ["--multiline"] : []),
    // Lets `$` match before "\r\n". It cannot be combined with a "\r" in the pattern.
    ...(request.literal || /\\r|\r|\\x0d/i.test(request.pattern) ? [] : ["--crlf"]),
  ];
}

export const contentArguments = (search: Search): string[] => [
  "--json",
  `--before-context=${search.request.before}`,
  `--after-context=${search.request.after}`,
  ...matchArguments(search.request),
  ...fileArguments(search),
  "--",
  search.request.pattern,
  search.root.argument,
];

/** Prints the path of each matching file, ended by NUL, and with `--count` followed by a number and a newline. */
export const listArguments = (
  search: Search,
  list: "--files-with-matches" | "--count",
  patterns: readonly string[] = [search.request.pattern],
): string[] => [
  list,
  "--null",
  "--with-filename",
  ...matchArguments(search.request),
  ...fileArguments(search),
  // A pattern given as the value of an option needs no `--` before it.
  ...patterns.map((pattern) => `--regexp=${pattern}`),
  "--",
  search.root.argument,
];

/** Prints the path of each file that would be searched, ended by NUL. */
export const namesArguments = (search: Search): string[] => [
  "--files",
  "--null",
  ...fileArguments(search),
  "--",
  search.root.argument,
];

/** A newline in the pattern can only match across lines. */
const spansLines = (request: SearchRequest): boolean => request.multiline || request.pattern.includes("\n");
