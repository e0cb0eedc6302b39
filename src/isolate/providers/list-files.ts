// sandbox.listFiles and sandbox.stat: what is there.

import * as z from "zod";
import { FileKind } from "../../contract/file.ts";
import { type FileListEntry, FileListRequest } from "../../contract/file-list.ts";
import { FileStatResult } from "../../contract/file-stat.ts";
import { limits } from "../../contract/limits.ts";
import { succeed } from "../../contract/result.ts";
import { defineMethod, showNotice } from "./provider.ts";

export const listFiles = defineMethod({
  scope: "sandbox:read",
  summary: "The entries of a directory, to a depth of 1 unless told; each path can be given to the other methods",
  input: z.strictObject({
    path: z.string().min(1).optional().describe("default /workspace"),
    depth: FileListRequest.shape.depth.optional(),
    no_ignore: z.boolean().optional().describe("also what gitignore leaves out"),
  }),
  positional: ["path"],
  output: z.array(z.object({ path: z.string(), kind: FileKind, size: z.number() })),
  async run({ path, depth, no_ignore }, run) {
    const { result, notice } = await run.sandbox.call("file-list", {
      path: path ?? ".",
      depth: depth ?? 1,
      no_ignore: no_ignore ?? false,
      offset: 0,
      limit: limits.fileListMaxEntries,
      inner_limit: limits.fileListMaxEntries,
    });
    await showNotice(run, notice);
    if (!result.ok) return result;
    const { entries, inside, unreadable } = result.value;
    const listed = withPaths(entries, path ?? ".");
    const cut = [
      ...cutOf(path ?? ".", inside),
      ...entries.flatMap(({ inside }, index) => cutOf(listed[index]?.path ?? "", inside)),
    ];
    if (cut.length > 0) {
      run.notice(
        `sandbox.listFiles answers at most ${limits.fileListMaxEntries} entries and left some out: of ${someOf(cut)}. List those directories by themselves, or use find in sandbox.exec.`,
      );
    }
    if (unreadable.length > 0) run.notice(`sandbox.listFiles could not look into ${someOf(unreadable)}.`);
    return succeed(listed);
  },
});

type Inside = FileListEntry["inside"];

/** A directory of which entries are missing, in words. */
const cutOf = (path: string, inside: Inside): string[] =>
  inside !== null && inside.listed < inside.entries ? [`"${path}" (${inside.listed} of ${inside.entries})`] : [];

function someOf(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(", ");
  return names.length <= 5 ? shown : `${shown} and ${names.length - 5} more`;
}

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
  summary: "What is at a path; fails with no_such_path where nothing is",
  input: z.strictObject({ path: z.string().min(1) }),
  positional: ["path"],
  output: FileStatResult,
  async run({ path }, run) {
    const { result, notice } = await run.sandbox.call("file-stat", { path });
    await showNotice(run, notice);
    return result;
  },
});
