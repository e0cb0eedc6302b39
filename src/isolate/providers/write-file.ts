// sandbox.writeFile and sandbox.editFile: changes to one file, each put in its place at once.

import * as z from "zod";
import { ExpectedHash } from "../../contract/file.ts";
import { type FileEdit, type FileEditRequest, FileEditResult } from "../../contract/file-edit.ts";
import { FileWriteRequest, FileWriteResult } from "../../contract/file-write.ts";
import { fail, succeed } from "../../contract/result.ts";
import { defineMethod } from "./provider.ts";

const { path } = FileWriteRequest.shape;
const expected_hash = ExpectedHash.unwrap().optional().describe("sha256 the file must still have");
const dry_run = z.boolean().optional();

export const writeFile = defineMethod({
  scope: "sandbox:write",
  summary: "Writes a whole file, with the directories above it",
  input: z.strictObject({
    path,
    content: z.union([z.string(), z.instanceof(Uint8Array)], { error: "must be a string or a Uint8Array" }),
    if_absent: z.boolean().optional().describe("fail where there is a file"),
    expected_hash,
    dry_run,
  }),
  positional: ["path", "content"],
  output: FileWriteResult.pick({ path: true, size: true, sha256: true, size_before: true }),
  async run({ path, content, if_absent, expected_hash, dry_run }, run) {
    const text = typeof content === "string";
    const { result, notice } = await run.sandbox.call("file-write", {
      path,
      content: text ? content : content.toBase64(),
      encoding: text ? "utf-8" : "base64",
      if_absent: if_absent ?? false,
      expected_hash: expected_hash ?? null,
      dry_run: dry_run ?? false,
    });
    if (notice !== null) run.notice(notice);
    if (!result.ok) return result;
    const { path: written, size, sha256, size_before } = result.value;
    return succeed({ path: written, size, sha256, size_before });
  },
});

const replacement = z.strictObject({
  old_string: z.string(),
  new_string: z.string(),
  replace_all: z.boolean().optional(),
});

export const editFile = defineMethod({
  scope: "sandbox:write",
  summary: "Replaces exact text; old_string must be there once unless replace_all. Several with edits: all or none",
  input: z.strictObject({
    path,
    ...replacement.partial().shape,
    edits: z.array(replacement).min(1).optional(),
    expected_hash,
    dry_run,
  }),
  positional: ["path", "old_string", "new_string"],
  output: FileEditResult.pick({ path: true, changes: true, size: true, sha256: true }).extend({
    diff: z.string().nullable(),
  }),
  async run({ path, old_string, new_string, replace_all, edits, expected_hash, dry_run }, run) {
    const single =
      old_string === undefined || new_string === undefined ? [] : [{ old_string, new_string, replace_all }];
    const all = edits === undefined ? single : edits;
    if (all.length === 0 || (edits !== undefined && single.length > 0)) {
      return fail({ reason: "invalid_request", message: "editFile needs old_string and new_string, or edits" });
    }
    const { result, notice } = await run.sandbox.call("file-edit", {
      path,
      edits: all.map((edit): FileEdit => ({ kind: "replace", ...edit, replace_all: edit.replace_all ?? false })),
      expected_hash: expected_hash ?? null,
      dry_run: dry_run ?? false,
    } satisfies FileEditRequest);
    if (notice !== null) run.notice(notice);
    if (!result.ok) return result;
    const { path: edited, changes, size, sha256, diff } = result.value;
    return succeed({ path: edited, changes, size, sha256, diff: diff?.text ?? null });
  },
});
