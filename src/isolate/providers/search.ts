// sandbox.search: ripgrep over the files, with the hits as one flat list.

import * as z from "zod";
import { limits } from "../../contract/limits.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import { SearchRequest, type SearchResult } from "../../contract/search.ts";
import { defineMethod, type ProviderRun, showNotice } from "./provider.ts";

const { shape } = SearchRequest;
const flag = z.boolean().optional();

const input = z.strictObject({
  pattern: shape.pattern.min(1),
  path: shape.path.min(1).optional(),
  glob: z.union([z.string(), z.array(z.string())]).optional(),
  mode: shape.mode.optional().describe('default "content"; "names" takes a glob as pattern'),
  type: z.string().optional(),
  literal: flag,
  ignore_case: flag,
  multiline: flag,
  before: shape.before.optional().describe("lines around each hit, in the list as { context: true }"),
  after: shape.after.optional(),
  hidden: flag,
  no_ignore: flag,
  offset: shape.offset.optional().describe("hits to skip"),
  limit: z.number().int().min(1).max(limits.searchOffsetMax).optional(),
});
type SearchInput = z.infer<typeof input>;

const Hit = z.object({
  path: z.string(),
  line: z.number().optional(),
  text: z.string().optional(),
  count: z.number().optional(),
  context: z.literal(true).optional(),
});
type Hit = z.infer<typeof Hit>;

export const search = defineMethod({
  scope: "sandbox:read",
  summary:
    "Hits in order, with path, line and text; for the mode count path and count, for files_with_matches and names path",
  input,
  positional: ["pattern", "path"],
  output: z.array(Hit),
  async run(input, run) {
    const most = input.limit ?? limits.searchLimitMax;
    const from = input.offset ?? 0;
    const found: Hit[] = [];
    let count = 0;
    let page: SearchResult | null = null;
    while (count < most && from + count <= limits.searchOffsetMax && (page === null || page.more)) {
      if (run.signal.aborted) return fail({ reason: "cancelled" });
      const answer = await ask(input, run, {
        offset: from + count,
        limit: Math.min(most - count, limits.searchLimitMax),
      });
      if (!answer.ok) return answer;
      page = answer.value;
      if (page.shown === 0) break;
      count += page.shown;
      found.push(...linesOf(page, input.mode ?? "content"));
    }
    if (page?.more === true)
      run.notice(`sandbox.search stopped at ${count} hits; there are more. Give it a limit, or an offset.`);
    if (page?.timed_out === true) run.notice("sandbox.search ran out of time and answered what it had found.");
    return succeed(found);
  },
});

async function ask(
  input: SearchInput,
  run: ProviderRun,
  page: { offset: number; limit: number },
): Promise<Result<SearchResult>> {
  const { result, notice } = await run.sandbox.call("search", {
    mode: input.mode ?? "content",
    pattern: input.pattern,
    path: input.path ?? ".",
    globs: typeof input.glob === "string" ? [input.glob] : (input.glob ?? []),
    type: input.type ?? null,
    literal: input.literal ?? false,
    ignore_case: input.ignore_case ?? false,
    multiline: input.multiline ?? false,
    before: input.before ?? 0,
    after: input.after ?? 0,
    hidden: input.hidden ?? false,
    no_ignore: input.no_ignore ?? false,
    ...page,
    line_chars: lineChars,
    page_chars: pageChars,
  });
  await showNotice(run, notice);
  return result;
}

/** For a program, not for a model to read. */
const lineChars = 10_000;
const pageChars = 2_000_000;

function linesOf({ files }: SearchResult, mode: SearchRequest["mode"]): Hit[] {
  switch (mode) {
    case "content":
      return files.flatMap(({ path, lines }) =>
        lines.map(({ hit, line, text }) => ({ path, line, text, ...(hit ? {} : { context: true as const }) })),
      );
    case "count":
      return files.map(({ path, count }) => ({ path, count }));
    default:
      return files.map(({ path }) => ({ path }));
  }
}
