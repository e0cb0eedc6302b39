// Resolves what a caller gives for a search into the request of `search`. What the runner or ripgrep could not take is refused
// here, with a message that says what to send instead.

import { limits } from "../contract/limits.ts";
import { fail, type Result, succeed } from "../contract/result.ts";
import type { SearchRequest } from "../contract/search.ts";
import { formatNumber } from "../format/format-count.ts";
import { truncate } from "../format/truncate.ts";

export interface SearchInput {
  pattern: string;
  path?: string | undefined;
  glob?: string | string[] | undefined;
  type?: string | undefined;
  mode?: SearchRequest["mode"] | undefined;
  literal?: boolean | undefined;
  ignore_case?: boolean | undefined;
  multiline?: boolean | undefined;
  before?: number | undefined;
  after?: number | undefined;
  hidden?: boolean | undefined;
  no_ignore?: boolean | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
}

/** How much text an answer has room for. */
export interface SearchOptions {
  lineChars: number;
  /** The same for a match over several lines. */
  multilineChars: number;
  pageChars: number;
}

export function resolveSearch(
  input: SearchInput,
  { lineChars, multilineChars, pageChars }: SearchOptions,
): Result<SearchRequest> {
  const { pattern, path = ".", glob = [], type = null, mode = "content", multiline = false } = input;
  const globs = typeof glob === "string" ? [glob] : glob;
  const problem = findProblem({ pattern, globs, type });
  if (problem !== null) return fail({ reason: "invalid_request", message: problem });
  return succeed({
    mode,
    pattern,
    path,
    globs,
    type,
    literal: input.literal ?? false,
    ignore_case: input.ignore_case ?? false,
    multiline,
    before: input.before ?? 0,
    after: input.after ?? 0,
    hidden: input.hidden ?? false,
    no_ignore: input.no_ignore ?? false,
    limit: input.limit ?? limits.searchLimitDefault,
    offset: input.offset ?? 0,
    line_chars: multiline ? multilineChars : lineChars,
    page_chars: pageChars,
  });
}

/** A sentence about what cannot be searched for; null when nothing is wrong. */
function findProblem({ pattern, globs, type }: Pick<SearchRequest, "pattern" | "globs" | "type">): string | null {
  const bytes = new TextEncoder().encode(pattern).length;
  if (bytes > limits.searchPatternMaxBytes)
    return `Argument "pattern" has ${formatNumber(bytes)} bytes; the limit is ${formatNumber(limits.searchPatternMaxBytes)}. Search for a part of it.`;
  if (globs.length > limits.searchGlobsMax)
    return `Argument "glob" has ${globs.length} globs; the limit is ${limits.searchGlobsMax}. Join some with braces: "*.{ts,js}".`;
  const long = globs.find(({ length }) => length > limits.searchGlobMaxChars);
  if (long !== undefined)
    return `Argument "glob" has a glob of ${formatNumber(long.length)} characters ("${truncate(long, limits.echoMaxChars)}"); the limit is ${formatNumber(limits.searchGlobMaxChars)}. Send a shorter one, or several.`;
  if (type !== null && type.length > limits.searchTypeMaxChars)
    return `Argument "type": there is no file type "${truncate(type, limits.echoMaxChars)}". Send one such as "ts", or a glob.`;
  return pattern.isWellFormed()
    ? null
    : 'Argument "pattern" contains half of a surrogate pair. Send the whole character.';
}
