// sandbox.writeFile, appendFile and editFile: change the content of one file, atomically.

import * as z from "zod";
import { ExpectedHash, type FileWritten } from "../../contract/file.ts";
import { FileAppendResult } from "../../contract/file-append.ts";
import { FileEditResult } from "../../contract/file-edit.ts";
import { FileWriteRequest, FileWriteResult } from "../../contract/file-write.ts";
import { type Result, succeed } from "../../contract/result.ts";
import { resolveFileEdit } from "../../operations/file-edit.ts";
import { resolveFileAppend, resolveFileWrite } from "../../operations/file-write.ts";
import { defineMethod } from "./provider.ts";

const { path } = FileWriteRequest.shape;
const expected_hash = ExpectedHash.unwrap().optional().describe("sha256 the file must still have");
const dry_run = z.boolean().optional();
const content = z.union([z.string(), z.instanceof(Uint8Array)], { error: "must be a string or a Uint8Array" });

export const writeFile = defineMethod({
  scope: "sandbox:write",
  summary: "Writes a whole file, and creates the directories above it",
  input: z.strictObject({
    path,
    content,
    if_absent: z.boolean().optional().describe("fail if the path exists"),
    expected_hash,
    dry_run,
  }),
  positional: ["path", "content"],
  output: FileWriteResult.pick({ path: true, size: true, sha256: true, size_before: true }),
  run: async (input, run) => toWritten(await run.call("file-write", resolveFileWrite(input))),
});

export const appendFile = defineMethod({
  scope: "sandbox:write",
  summary: "Adds to the end of a file, and creates it if it does not exist; text gets the file's own line endings",
  input: z.strictObject({ path, content, expected_hash, dry_run }),
  positional: ["path", "content"],
  output: FileAppendResult.pick({ path: true, size: true, sha256: true, size_before: true }),
  run: async (input, run) => toWritten(await run.call("file-append", resolveFileAppend(input))),
});

function toWritten(result: Result<FileWritten>): Result<Pick<FileWritten, "path" | "size" | "sha256" | "size_before">> {
  if (!result.ok) return result;
  const { path, size, sha256, size_before } = result.value;
  return succeed({ path, size, sha256, size_before });
}

const oneEdit = z.strictObject({
  old_string: z.string().optional(),
  new_string: z.string().optional(),
  replace_all: z.boolean().optional(),
  insert_line: z.number().int().min(0).optional().describe("insert new_string after this line; 0 is the top"),
});

export const editFile = defineMethod({
  scope: "sandbox:write",
  summary: "Replaces exact text; old_string must occur once unless replace_all is set. Several in edits: all or none",
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
  async run(input, run) {
    const request = resolveFileEdit(input);
    if (!request.ok) return request;
    const result = await run.call("file-edit", request.value);
    if (!result.ok) return result;
    const { path, changes, size, sha256, diff } = result.value;
    return succeed({ path, changes, size, sha256, diff: diff?.text ?? null });
  },
});
