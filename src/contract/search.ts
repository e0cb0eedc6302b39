// search: where a pattern occurs in files, or which paths match a glob; one page of it, in an order that does not change.

import * as z from "zod";
import { limits } from "./limits.ts";

export const SEARCH_MODES = ["content", "files_with_matches", "count", "names"] as const;

export const SearchRequest = z.object({
  mode: z.enum(SEARCH_MODES),
  /** A regular expression of ripgrep; for `names` a glob over paths. */
  pattern: z.string(),
  /** A file or a directory; relative to /workspace. It is searched also where ignore files name it. */
  path: z.string(),
  /** Globs that a path must match one of, and with a leading `!` none of. They restrict; they never bring ignored files in. */
  globs: z.array(z.string().max(limits.searchGlobMaxChars)).max(limits.searchGlobsMax),
  /** A file type by ripgrep's name. */
  type: z.string().max(limits.searchTypeMaxChars).nullable(),
  literal: z.boolean(),
  ignore_case: z.boolean(),
  /** A match may span lines. */
  multiline: z.boolean(),
  /** Lines around each hit. */
  before: z.number().int().min(0).max(limits.searchContextMax),
  after: z.number().int().min(0).max(limits.searchContextMax),
  hidden: z.boolean(),
  no_ignore: z.boolean(),
  /** The page, over all files: in hits for `content`, in files otherwise. */
  limit: z.number().int().min(1).max(limits.searchLimitMax),
  offset: z.number().int().min(0).max(limits.searchOffsetMax),
  /** Text of one line, and of the whole page, in UTF-16 units; a page ends early when it is full. */
  line_chars: z.number().int().min(40),
  page_chars: z.number().int().min(1_000),
});
export type SearchRequest = z.infer<typeof SearchRequest>;

export const SearchLine = z.object({
  /** 1-based, of the first line where `text` spans several. */
  line: z.number().int(),
  hit: z.boolean(),
  /** Without its line ending; a window of it, around the hit, where it is longer than `line_chars`. */
  text: z.string(),
  /** Bytes of the whole where `text` is a window, at least so many where that is over a MiB; null where it is whole. */
  whole_bytes: z.number().int().nullable(),
});
export type SearchLine = z.infer<typeof SearchLine>;

export const SearchFile = z.object({
  /** Relative to /workspace where it is below it, else absolute. */
  path: z.string(),
  /** For `content`, hits on this page; for `count`, matching lines in all; else 0. */
  count: z.number().int(),
  /** For `content` only. */
  lines: z.array(SearchLine),
  /** Some text was not UTF-8 and stands as U+FFFD. */
  invalid_utf8: z.boolean(),
  /** The file is binary from this byte on. Only a file that was named is searched beyond it. */
  binary_offset: z.number().int().nullable(),
});
export type SearchFile = z.infer<typeof SearchFile>;

/** Why nothing was found, as far as it could be told in `limits.searchEmptyLookMs`. Null: not told in time, or not asked. */
const Count = z.number().int().nullable();
export const SearchEmpty = z.object({
  /** Files that were searched, after all restrictions. */
  searched: Count,
  /** Files without the restrictions by glob and type; only counted when none was searched. */
  unrestricted: Count,
  /** Files left out for one reason each, and how many of them match. */
  ignored: Count,
  ignored_matching: Count,
  hidden: Count,
  hidden_matching: Count,
  /** Larger than `limits.searchMultilineFileMaxBytes`, where a match may span lines. */
  too_large: Count,
  binary_matching: Count,
  /** Files that match when case is ignored, or when the pattern is taken literally. */
  ignore_case_matching: Count,
  literal_matching: Count,
});
export type SearchEmpty = z.infer<typeof SearchEmpty>;

export const SearchResult = z.object({
  files: z.array(SearchFile),
  /** Hits (for `content`) or files on this page. */
  shown: z.number().int(),
  /** There are more after this page. */
  more: z.boolean(),
  /** Over all pages; null where the search ended before it could be known. */
  total: z.object({ hits: z.number().int(), files: z.number().int() }).nullable(),
  /** The time limit came before the end: what was found until then, in no certain order. */
  timed_out: z.boolean(),
  /** Paths that could not be read: how many, and ripgrep's words on the first few. */
  unreadable: z.object({ count: z.number().int(), examples: z.array(z.string()) }),
  /** Only where nothing was found. */
  empty: SearchEmpty.nullable(),
});
export type SearchResult = z.infer<typeof SearchResult>;
