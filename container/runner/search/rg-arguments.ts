// A search request as arguments of ripgrep. What the caller wrote is only ever one whole argument, or stands after `--`.

import { limits } from "../../../src/contract/limits.ts";
import type { SearchRequest } from "../../../src/contract/search.ts";
import type { PathFilter } from "./path-filter.ts";
import type { SearchRoot } from "./search-root.ts";

export interface Search {
  request: SearchRequest;
  root: SearchRoot;
  filter: PathFilter;
  /** The root is named by ignore files above it. */
  rootIgnored: boolean;
  /** Files over the limit too. */
  anySize: boolean;
}

/** Which files: the arguments that every kind of run shares. */
function fileArguments({ request, filter, rootIgnored, anySize }: Search): string[] {
  // A match over lines needs the whole file in memory. Otherwise size does not matter, and to ask for it costs a sixth more.
  const bounded = spansLines(request) && !anySize;
  return [
    "--no-require-git",
    ...(bounded ? [`--max-filesize=${limits.searchMultilineFileMaxBytes}`] : []),
    ...(request.hidden ? ["--hidden"] : []),
    ...(request.no_ignore ? ["--no-ignore"] : rootIgnored ? ["--no-ignore-parent"] : []),
    ...filter.arguments,
  ];
}

/** How to match: for runs that look into files. */
function matchArguments(request: SearchRequest): string[] {
  return [
    ...(request.literal ? ["--fixed-strings"] : []),
    request.ignore_case ? "--ignore-case" : "--case-sensitive",
    ...(spansLines(request) ? ["--multiline"] : []),
    // Lets `$` match before "\r\n"; it forbids a "\r" in the pattern.
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

/** Each path, ended by NUL, of the files that match one of the patterns; with counts, a number and a newline follow it. */
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
  // As the value of an option, a pattern needs no `--` before it.
  ...patterns.map((pattern) => `--regexp=${pattern}`),
  "--",
  search.root.argument,
];

/** Each path, ended by NUL, of the files that would be searched. */
export const namesArguments = (search: Search): string[] => [
  "--files",
  "--null",
  ...fileArguments(search),
  "--",
  search.root.argument,
];

/** A newline in the pattern can only match across lines. */
const spansLines = (request: SearchRequest): boolean => request.multiline || request.pattern.includes("\n");
