// sandbox.search: ripgrep over the files, with the hits as one flat list.

import * as z from "zod";
import { limits } from "../../contract/limits.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import { SearchRequest, type SearchResult } from "../../contract/search.ts";
import { defineMethod, type ProviderRun } from "./provider.ts";

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
  hidden: flag,
  no_ignore: flag,
  limit: z.number().int().min(1).max(limits.searchOffsetMax).optional(),
});
type SearchInput = z.infer<typeof input>;

const Hit = z.object({
  path: z.string(),
  line: z.number().optional(),
  text: z.string().optional(),
  count: z.number().optional(),
});
type Hit = z.infer<typeof Hit>;

export const search = defineMethod({
  scope: "sandbox:read",
  summary: "Hits with path, line and text; for the mode count path and count, for files_with_matches and names path",
  input,
  positional: ["pattern", "path"],
  output: z.array(Hit),
  async run(input, run) {
    const most = input.limit ?? limits.searchLimitMax;
    const hits: Hit[] = [];
    let page: SearchResult | null = null;
    while (hits.length < most && (page === null || page.more)) {
      if (run.signal.aborted) return fail({ reason: "cancelled" });
      const answer = await ask(input, run, {
        offset: hits.length,
        limit: Math.min(most - hits.length, limits.searchLimitMax),
      });
      if (!answer.ok) return answer;
      page = answer.value;
      const found = hitsOf(page, input.mode ?? "content");
      if (found.length === 0) break;
      hits.push(...found);
    }
    if (page?.more === true)
      run.notice(`sandbox.search stopped at ${hits.length} hits; there are more. Give it a limit.`);
    if (page?.timed_out === true) run.notice("sandbox.search ran out of time and answered what it had found.");
    return succeed(hits);
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
    before: 0,
    after: 0,
    hidden: input.hidden ?? false,
    no_ignore: input.no_ignore ?? false,
    ...page,
    line_chars: lineChars,
    page_chars: pageChars,
  });
  if (notice !== null) run.notice(notice);
  return result;
}

/** For a program, not for a model to read. */
const lineChars = 10_000;
const pageChars = 2_000_000;

function hitsOf({ files }: SearchResult, mode: SearchRequest["mode"]): Hit[] {
  switch (mode) {
    case "content":
      return files.flatMap(({ path, lines }) =>
        lines.filter(({ hit }) => hit).map(({ line, text }) => ({ path, line, text })),
      );
    case "count":
      return files.map(({ path, count }) => ({ path, count }));
    default:
      return files.map(({ path }) => ({ path }));
  }
}
