// search: where a pattern occurs in the files of a sandbox, or which files there are by name.

import * as z from "zod";
import { limits } from "../../src/contract/limits.ts";
import { SEARCH_MODES } from "../../src/contract/search.ts";
import { resolveSearch } from "../../src/operations/search.ts";
import { answerFailure, answerOperation, content } from "../answer.ts";
import { flag, parseIfJson, wholeNumber } from "../input.ts";
import { openSandbox, sandboxName } from "../sandbox-name.ts";
import { defineTool } from "../tool.ts";
import { formatSearch } from "./format-search.ts";

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
  hidden: flag().optional().describe("Include files whose names begin with a dot (never .git)"),
  no_ignore: flag().optional().describe("Include what .gitignore and the like exclude"),
  limit: wholeNumber(1, limits.searchLimitMax)
    .optional()
    .describe(`Hits, or files, in all; default ${limits.searchLimitDefault}`),
  offset: wholeNumber(0, limits.searchOffsetMax).optional().describe("Hits, or files, to skip"),
  sandbox: sandboxName(),
});

/** One glob, or a list, also as JSON. A glob may itself begin like JSON, so a string is a list only if it parses as one. */
function globs() {
  const list = z.array(z.string());
  return z.preprocess(
    (value) => {
      const parsed = list.safeParse(parseIfJson(value));
      return parsed.success ? parsed.data : value;
    },
    z.union([z.string(), list]),
  );
}

/** What one answer has room for. */
const textLimits = {
  lineChars: limits.searchLineChars,
  multilineChars: limits.searchLineChars * 10,
  pageChars: limits.searchPageChars,
};

export const search = defineTool({
  name: "search",
  title: "Search files",
  description:
    "Searches files in the machine with ripgrep: content (hits with line numbers, by file), files_with_matches, count, or names (paths " +
    "by glob). Skips hidden files, binary files and what git ignores, and says so when nothing is found. A path that is named is always " +
    "searched. Long lines are shortened around the hit. The order is stable; page with offset.",
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input,
  output: null,
  async run(input, call) {
    const request = resolveSearch(input, textLimits);
    if (!request.ok) return answerFailure(request.failure);
    const sandbox = openSandbox(call, input.sandbox);
    return answerOperation(sandbox, await sandbox.call("search", request.value), (value) =>
      content(formatSearch(request.value, value)),
    );
  },
});
