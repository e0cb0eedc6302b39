// sandbox.writeFile, appendFile and editFile: changes to the content of one file, each put in its place at once.

import * as z from "zod";
import { ExpectedHash } from "../../contract/file.ts";
import { FileAppendResult } from "../../contract/file-append.ts";
import { type FileEdit, type FileEditRequest, FileEditResult } from "../../contract/file-edit.ts";
import { FileWriteRequest, FileWriteResult } from "../../contract/file-write.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import { defineMethod, showNotice } from "./provider.ts";

const { path } = FileWriteRequest.shape;
const expected_hash = ExpectedHash.unwrap().optional().describe("sha256 the file must still have");
const dry_run = z.boolean().optional();

const content = z.union([z.string(), z.instanceof(Uint8Array)], { error: "must be a string or a Uint8Array" });

const encoded = (content: string | Uint8Array): { content: string; encoding: "utf-8" | "base64" } =>
  typeof content === "string" ? { content, encoding: "utf-8" } : { content: content.toBase64(), encoding: "base64" };

export const writeFile = defineMethod({
  scope: "sandbox:write",
  summary: "Writes a whole file, with the directories above it",
  input: z.strictObject({
    path,
    content,
    if_absent: z.boolean().optional().describe("fail where there is a file"),
    expected_hash,
    dry_run,
  }),
  positional: ["path", "content"],
  output: FileWriteResult.pick({ path: true, size: true, sha256: true, size_before: true }),
  async run({ path, content, if_absent, expected_hash, dry_run }, run) {
    const { result, notice } = await run.sandbox.call("file-write", {
      path,
      ...encoded(content),
      if_absent: if_absent ?? false,
      expected_hash: expected_hash ?? null,
      dry_run: dry_run ?? false,
    });
    await showNotice(run, notice);
    if (!result.ok) return result;
    const { path: written, size, sha256, size_before } = result.value;
    return succeed({ path: written, size, sha256, size_before });
  },
});

export const appendFile = defineMethod({
  scope: "sandbox:write",
  summary: "Adds to the end of a file, which is made where there is none; text takes the file's own line endings",
  input: z.strictObject({ path, content, expected_hash, dry_run }),
  positional: ["path", "content"],
  output: FileAppendResult.pick({ path: true, size: true, sha256: true, size_before: true }),
  async run({ path, content, expected_hash, dry_run }, run) {
    const { result, notice } = await run.sandbox.call("file-append", {
      path,
      ...encoded(content),
      expected_hash: expected_hash ?? null,
      dry_run: dry_run ?? false,
    });
    await showNotice(run, notice);
    if (!result.ok) return result;
    const { path: written, size, sha256, size_before } = result.value;
    return succeed({ path: written, size, sha256, size_before });
  },
});

const oneEdit = z.strictObject({
  old_string: z.string().optional(),
  new_string: z.string().optional(),
  replace_all: z.boolean().optional(),
  insert_line: z.number().int().min(0).optional().describe("insert new_string after this line; 0 is the top"),
});
type OneEdit = z.infer<typeof oneEdit>;

export const editFile = defineMethod({
  scope: "sandbox:write",
  summary: "Replaces exact text; old_string must be there once unless replace_all. Several with edits: all or none",
  input: z.strictObject({
    path,
    ...oneEdit.shape,
    edits: z.array(oneEdit).min(1).optional(),
    expected_hash,
    dry_run,
  }),
  positional: ["path", "old_string", "new_string"],
  output: FileEditResult.pick({ path: true, changes: true, size: true, sha256: true }).extend({
    diff: z.string().nullable(),
  }),
  async run({ path, edits, expected_hash, dry_run, ...single }, run) {
    const resolved = editsOf(single, edits);
    if (!resolved.ok) return resolved;
    const { result, notice } = await run.sandbox.call("file-edit", {
      path,
      edits: resolved.value,
      expected_hash: expected_hash ?? null,
      dry_run: dry_run ?? false,
    } satisfies FileEditRequest);
    await showNotice(run, notice);
    if (!result.ok) return result;
    const { path: edited, changes, size, sha256, diff } = result.value;
    return succeed({ path: edited, changes, size, sha256, diff: diff?.text ?? null });
  },
});

function editsOf(single: OneEdit, edits: OneEdit[] | undefined): Result<FileEdit[]> {
  const isSingle = Object.values(single).some((value) => value !== undefined);
  if (isSingle === (edits !== undefined)) return fail({ reason: "invalid_request", message: needsEdit });
  const resolved = (edits ?? [single]).map(editOf);
  return resolved.includes(null)
    ? fail({ reason: "invalid_request", message: needsEdit })
    : succeed(resolved.filter((edit) => edit !== null));
}

const needsEdit =
  "editFile needs new_string, with old_string to replace or insert_line to insert after; or several such in edits, and not both";

function editOf({ old_string, new_string, replace_all, insert_line }: OneEdit): FileEdit | null {
  if (new_string === undefined || (old_string === undefined) === (insert_line === undefined)) return null;
  if (insert_line !== undefined) return { kind: "insert", line: insert_line, text: new_string };
  if (old_string === undefined) return null;
  return { kind: "replace", old_string, new_string, replace_all: replace_all ?? false };
}
