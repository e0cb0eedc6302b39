// search: where a pattern occurs in the files of a sandbox, or which files there are by name.

import * as z from "zod";
import { limits } from "../../src/contract/limits.ts";
import { SEARCH_MODES, type SearchRequest } from "../../src/contract/search.ts";
import { truncate } from "../../src/format/truncate.ts";
import { DEFAULT_SANDBOX } from "../../src/sandbox/sandbox.ts";
import { flag, jsonText, wholeNumber } from "../input.ts";
import { sandboxName } from "../sandbox-name.ts";
import { defineTool, showNotice } from "../tool.ts";
import { searchText } from "./format-search.ts";

const input = z.object({
  pattern: z
    .string()
    .min(1, 'is empty; to list files, use mode names with the pattern "*"')
    .describe("A regular expression (Rust syntax); for names a glob such as **/*.test.ts"),
  path: z.string().min(1).optional().describe("File or directory to search; default /workspace"),
  glob: globs().optional().describe('Only paths that match, such as "*.ts"; with "!" before it, all others'),
  type: z.string().min(1).optional().describe('Only files of this type, such as "ts", "py", "rust"'),
  mode: z.enum(SEARCH_MODES).optional().describe("Default content; names lists files, newest first"),
  literal: flag().optional().describe("The pattern is text, not a regular expression"),
  ignore_case: flag().optional(),
  multiline: flag().optional().describe("A match may span lines"),
  before: wholeNumber(0, limits.searchContextMax).optional().describe("Lines to show before each hit"),
  after: wholeNumber(0, limits.searchContextMax).optional().describe("Lines to show after each hit"),
  hidden: flag().optional().describe("Also files whose names begin with a dot (.git never)"),
  no_ignore: flag().optional().describe("Also what .gitignore and the like leave out"),
  limit: wholeNumber(1, limits.searchLimitMax)
    .optional()
    .describe(`Hits, or files, in all; default ${limits.searchLimitDefault}`),
  offset: wholeNumber(0, limits.searchOffsetMax).optional().describe("Hits, or files, to pass over first"),
  sandbox: sandboxName(),
});

type SearchInput = z.infer<typeof input>;

/** One glob, or a list of them, also as JSON text. A glob may itself begin like JSON, so only a list of texts is taken for one. */
function globs() {
  const list = z.array(z.string());
  return z.preprocess(
    (value) => {
      if (typeof value !== "string" || !value.startsWith("[")) return value;
      const parsed = jsonText(list).safeParse(value);
      return parsed.success ? parsed.data : value;
    },
    z.union([z.string(), list]),
  );
}

export const search = defineTool({
  name: "search",
  title: "Search files",
  description:
    "Searches files in the machine with ripgrep: content (hits with line numbers, by file), files_with_matches, count, or names (paths by " +
    "glob). Leaves out what git ignores, hidden and binary files, and says so when nothing is found. A path that is named is always " +
    "searched. Long lines show the part around the hit. Answers come in a fixed order; page with offset.",
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  scope: "sandbox:read",
  input,
  output: null,
  async run(input, call) {
    const problem = problemOf(input);
    if (problem !== null) return { failure: { reason: "invalid_request", message: problem }, notice: null };
    const request = resolve(input);
    const sandbox = call.sandboxes.open(input.sandbox ?? DEFAULT_SANDBOX);
    const { result, notice: due } = await sandbox.call("search", request);
    const notice = await showNotice(sandbox, due);
    if (!result.ok) return { failure: result.failure, notice };
    return { text: searchText(request, result.value, notice), structured: null };
  },
});

function problemOf({ pattern, glob, type }: SearchInput): string | null {
  const bytes = new TextEncoder().encode(pattern).length;
  if (bytes > limits.searchPatternMaxBytes)
    return `Argument "pattern" has ${bytes} bytes; at most ${limits.searchPatternMaxBytes} are taken. Search for a part of it.`;
  const globs = typeof glob === "string" ? [glob] : (glob ?? []);
  if (globs.length > limits.searchGlobsMax)
    return `Argument "glob" has ${globs.length} globs; at most ${limits.searchGlobsMax} are taken. Join some with braces: "*.{ts,js}".`;
  const long = globs.find(({ length }) => length > limits.searchGlobMaxChars);
  if (long !== undefined)
    return `Argument "glob" has a glob of ${long.length} characters ("${truncate(long, limits.echoMaxChars)}"); at most ${limits.searchGlobMaxChars} are taken. Give a shorter one, or several.`;
  if (type !== undefined && type.length > limits.searchTypeMaxChars)
    return `Argument "type": there is no file type "${truncate(type, limits.echoMaxChars)}". Give one such as "ts", or a glob.`;
  return pattern.isWellFormed() ? null : 'Argument "pattern" contains half of a character. Send it whole.';
}

function resolve(input: SearchInput): SearchRequest {
  const multiline = input.multiline ?? false;
  return {
    mode: input.mode ?? "content",
    pattern: input.pattern,
    path: input.path ?? ".",
    globs: typeof input.glob === "string" ? [input.glob] : (input.glob ?? []),
    type: input.type ?? null,
    literal: input.literal ?? false,
    ignore_case: input.ignore_case ?? false,
    multiline,
    before: input.before ?? 0,
    after: input.after ?? 0,
    hidden: input.hidden ?? false,
    no_ignore: input.no_ignore ?? false,
    limit: input.limit ?? limits.searchLimitDefault,
    offset: input.offset ?? 0,
    line_chars: limits.searchLineChars * (multiline ? 10 : 1),
    page_chars: limits.searchPageChars,
  };
}
