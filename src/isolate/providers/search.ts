// sandbox.search: ripgrep over the files, with the hits as one flat list. It fetches as many pages as the caller asks for.

import * as z from "zod";
import { limits } from "../../contract/limits.ts";
import { fail, succeed } from "../../contract/result.ts";
import { SearchRequest, type SearchResult } from "../../contract/search.ts";
import { formatCount } from "../../format/format-count.ts";
import { resolveSearch } from "../../operations/search.ts";
import { defineMethod } from "./provider.ts";

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
  before: shape.before.optional().describe("lines before each hit, in the list as { context: true }"),
  after: shape.after.optional(),
  hidden: flag,
  no_ignore: flag,
  offset: shape.offset.optional().describe("hits to skip"),
  limit: z.number().int().min(1).max(limits.searchOffsetMax).optional(),
});

const Hit = z.object({
  path: z.string(),
  line: z.number().optional(),
  text: z.string().optional(),
  count: z.number().optional(),
  context: z.literal(true).optional(),
});
type Hit = z.infer<typeof Hit>;

/** Code gets longer lines and pages than a model. */
const textLimits = { lineChars: 10_000, multilineChars: 10_000, pageChars: 2_000_000 };

export const search = defineMethod({
  scope: "sandbox:read",
  summary:
    "Hits in order, with path, line and text; in the mode count path and count, in files_with_matches and names path",
  input,
  positional: ["pattern", "path"],
  output: z.array(Hit),
  async run(input, run) {
    const { limit: wanted = limits.searchLimitMax, offset: start = 0 } = input;
    const hits: Hit[] = [];
    let count = 0;
    let page: SearchResult | null = null;
    while (count < wanted && start + count <= limits.searchOffsetMax && (page === null || page.more)) {
      if (run.signal.aborted) return fail({ reason: "cancelled" });
      const limit = Math.min(wanted - count, limits.searchLimitMax);
      const request = resolveSearch({ ...input, offset: start + count, limit }, textLimits);
      if (!request.ok) return request;
      const result = await run.call("search", request.value);
      if (!result.ok) return result;
      page = result.value;
      if (page.shown === 0) break;
      count += page.shown;
      hits.push(...toHits(page, request.value.mode));
    }
    if (page?.more === true)
      run.addRemark(
        `sandbox.search stopped after ${formatCount(count, "hit")}, and there are more. Pass a larger limit, or an offset.`,
      );
    if (page?.timed_out === true) run.addRemark("sandbox.search ran out of time and returned what it had found.");
    return succeed(hits);
  },
});

function toHits({ files }: SearchResult, mode: SearchRequest["mode"]): Hit[] {
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
