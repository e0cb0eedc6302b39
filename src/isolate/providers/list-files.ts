// sandbox.listFiles and sandbox.stat: which files exist, and what they are.

import * as z from "zod";
import { FileKind } from "../../contract/file.ts";
import { type FileListEntry, FileListRequest } from "../../contract/file-list.ts";
import { FileStatResult } from "../../contract/file-stat.ts";
import { limits } from "../../contract/limits.ts";
import { succeed } from "../../contract/result.ts";
import { formatList, formatNumber } from "../../format/format-count.ts";
import { resolveFileList } from "../../operations/file-list.ts";
import { defineMethod } from "./provider.ts";

export const listFiles = defineMethod({
  scope: "sandbox:read",
  summary: "The entries of a directory, to a depth of 1 by default; the other methods take each path as it is",
  input: z.strictObject({
    path: z.string().min(1).optional().describe("default /workspace"),
    depth: FileListRequest.shape.depth.optional(),
    no_ignore: z.boolean().optional().describe("include what gitignore excludes"),
  }),
  positional: ["path"],
  output: z.array(z.object({ path: z.string(), kind: FileKind, size: z.number() })),
  async run(input, run) {
    const entriesMax = limits.fileListMaxEntries;
    const request = resolveFileList(input, { depth: 1, entries: entriesMax, innerEntries: entriesMax });
    const result = await run.call("file-list", request);
    if (!result.ok) return result;
    const { entries, inside, unreadable } = result.value;
    const listed = withPaths(entries, request.path);
    const incomplete = [
      ...describeIncomplete(request.path, inside),
      ...entries.flatMap(({ inside }, index) => describeIncomplete(listed[index]?.path ?? "", inside)),
    ];
    if (incomplete.length > 0) {
      run.addRemark(
        `sandbox.listFiles returns at most ${formatNumber(entriesMax)} entries and omitted some of ${formatList(incomplete, 5)}. List those directories by themselves, or use find in sandbox.exec.`,
      );
    }
    if (unreadable.length > 0) run.addRemark(`sandbox.listFiles could not read ${formatList(unreadable, 5)}.`);
    return succeed(listed);
  },
});

/** A directory with how many of its entries are listed, if some are missing. */
const describeIncomplete = (path: string, inside: FileListEntry["inside"]): string[] =>
  inside !== null && inside.listed < inside.entries
    ? [`"${path}" (${formatNumber(inside.listed)} of ${formatNumber(inside.entries)} listed)`]
    : [];

function withPaths(entries: readonly FileListEntry[], top: string): { path: string; kind: FileKind; size: number }[] {
  const prefix = top === "." ? "" : `${top.replace(/\/+$/, "")}/`;
  const above: string[] = [];
  return entries.map(({ name, depth, kind, size }) => {
    above.length = depth - 1;
    above.push(name);
    return { path: `${prefix}${above.join("/")}`, kind, size };
  });
}

export const stat = defineMethod({
  scope: "sandbox:read",
  summary: "What is at a path; fails with no_such_path if nothing is",
  input: z.strictObject({ path: z.string().min(1) }),
  positional: ["path"],
  output: FileStatResult,
  run: ({ path }, run) => run.call("file-stat", { path }),
});
