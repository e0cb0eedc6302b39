// search: where a pattern occurs in files, or which paths match a glob. The answer is one page of the results, in a stable
// order.

import * as z from "zod";
import { answerList } from "./answer-list.ts";
import { limits } from "./limits.ts";

export const SEARCH_MODES = ["content", "files_with_matches", "count", "names"] as const;

export const SearchRequest = z.object({
  mode: z.enum(SEARCH_MODES),
  /** A regular expression in ripgrep's syntax; for `names`, a glob over paths. */
  pattern: z.string(),
  /** A file or directory, relative to /workspace. It is searched even if ignore files exclude it. */
  path: z.string(),
  /** A path must match one of these globs, and none of those with a leading `!`. Globs never add ignored files. */
  globs: z.array(z.string().max(limits.searchGlobMaxChars)).max(limits.searchGlobsMax),
  /** A file type by its name in ripgrep; null for all types. */
  type: z.string().max(limits.searchTypeMaxChars).nullable(),
  /** `pattern` is plain text. */
  literal: z.boolean(),
  ignore_case: z.boolean(),
  /** A match may span lines. */
  multiline: z.boolean(),
  /** Context lines before and after each hit. */
  before: z.number().int().min(0).max(limits.searchContextMax),
  after: z.number().int().min(0).max(limits.searchContextMax),
  /** Includes hidden files. */
  hidden: z.boolean(),
  /** Includes files that ignore files exclude. */
  no_ignore: z.boolean(),
  /** The page, over all files: counted in hits for `content`, in files otherwise. */
  limit: z.number().int().min(1).max(limits.searchLimitMax),
  offset: z.number().int().min(0).max(limits.searchOffsetMax),
  /** The most text of one line and of the page, in UTF-16 code units. A page that is full ends early. */
  line_chars: z.number().int().min(40),
  page_chars: z.number().int().min(1_000),
});
export type SearchRequest = z.infer<typeof SearchRequest>;

export const SearchLine = z.object({
  /** The line number, 1-based; of the first line when `text` spans several. */
  line: z.number().int(),
  /** False for a context line. */
  hit: z.boolean(),
  /** The line without its line ending; only the part around the hit when it is longer than `line_chars`. */
  text: z.string(),
  /**
   * The full length in bytes when `text` is only a part; a lower bound when that is over 1 MiB. Null when `text` is
   * complete.
   */
  whole_bytes: z.number().int().nullable(),
});
export type SearchLine = z.infer<typeof SearchLine>;

export const SearchFile = z.object({
  /** Relative to /workspace for a file inside it, otherwise absolute. */
  path: z.string(),
  /** For `content`, the hits on this page; for `count`, all matching lines; otherwise 0. */
  count: z.number().int(),
  /** Only for `content`; otherwise empty. */
  lines: answerList(SearchLine),
  /** Some bytes were not UTF-8 and are replaced by U+FFFD. */
  invalid_utf8: z.boolean(),
  /** The first byte at which the file is binary; null for text. Only a file that `path` names is searched beyond it. */
  binary_offset: z.number().int().nullable(),
});
export type SearchFile = z.infer<typeof SearchFile>;

/** Null when there was no time to count, or the count does not apply. */
const Count = z.number().int().nullable();
/** Why nothing was found, as far as it could be determined within `limits.searchDiagnosisMs`. */
export const SearchEmpty = z.object({
  /** Files that were searched, after all restrictions were applied. */
  searched: Count,
  /** Files that remain without the glob and type restrictions; counted only when no file was searched. */
  unrestricted: Count,
  /** Files excluded by ignore files, or because they are hidden, and how many of them match. */
  ignored: Count,
  ignored_matching: Count,
  hidden: Count,
  hidden_matching: Count,
  /** Files larger than `limits.searchMultilineFileMaxBytes`, which a multiline search skips. */
  too_large: Count,
  /** Binary files that match. */
  binary_matching: Count,
  /** Files that would match with `ignore_case`, or with `literal`. */
  ignore_case_matching: Count,
  literal_matching: Count,
});
export type SearchEmpty = z.infer<typeof SearchEmpty>;

export const SearchResult = z.object({
  files: answerList(SearchFile),
  /** Hits (for `content`) or files on this page. */
  shown: z.number().int(),
  /** There are more results after this page. */
  more: z.boolean(),
  /** Totals over all pages; null when the search ended before they were known. */
  total: z.object({ hits: z.number().int(), files: z.number().int() }).nullable(),
  /** The search reached its time limit. The results are those found until then, in no particular order. */
  timed_out: z.boolean(),
  /** How many paths could not be read, and ripgrep's messages about the first few. */
  unreadable: z.object({ count: z.number().int(), examples: answerList(z.string()) }),
  /** Null when something was found. */
  empty: SearchEmpty.nullable(),
});
export type SearchResult = z.infer<typeof SearchResult>;
