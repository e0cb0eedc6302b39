// sandbox.mkdir, move, copy and remove: entries of directories, each as the operation of the same name has it.

import * as z from "zod";
import { FileCopyRequest, FileCopyResult } from "../../contract/file-copy.ts";
import { FileDeleteRequest, FileDeleteResult } from "../../contract/file-delete.ts";
import { FileMkdirRequest, FileMkdirResult } from "../../contract/file-mkdir.ts";
import { FileMoveRequest, FileMoveResult } from "../../contract/file-move.ts";
import type { OperationName, RequestOf } from "../../contract/operation.ts";
import type { Result } from "../../contract/result.ts";
import { defineMethod, type ProviderRun, showNotice } from "./provider.ts";

const flag = z.boolean().optional();

export const mkdir = defineMethod({
  scope: "sandbox:write",
  summary: "Makes a directory, with those above it",
  input: z.strictObject({ path: FileMkdirRequest.shape.path, dry_run: flag }),
  positional: ["path"],
  output: FileMkdirResult,
  run: ({ path, dry_run }, run) => ask("file-mkdir", { path, dry_run: dry_run ?? false }, run),
});

export const move = defineMethod({
  scope: "sandbox:write",
  summary: 'Moves or renames; a "to" that ends with a slash is the directory to move it into',
  input: z.strictObject({ ...FileMoveRequest.shape, overwrite: flag, dry_run: flag }),
  positional: ["from", "to"],
  output: FileMoveResult,
  run: ({ from, to, overwrite, dry_run }, run) =>
    ask("file-move", { from, to, overwrite: overwrite ?? false, dry_run: dry_run ?? false }, run),
});

export const copy = defineMethod({
  scope: "sandbox:write",
  summary: 'Copies a file, or a directory with everything in it; "to" as for move',
  input: z.strictObject({ ...FileCopyRequest.shape, overwrite: flag, dry_run: flag }),
  positional: ["from", "to"],
  output: FileCopyResult,
  run: ({ from, to, overwrite, dry_run }, run) =>
    ask("file-copy", { from, to, overwrite: overwrite ?? false, dry_run: dry_run ?? false }, run),
});

export const remove = defineMethod({
  scope: "sandbox:write",
  summary: "Deletes a file, or a directory; with recursive, also one that is not empty",
  input: z.strictObject({ path: FileDeleteRequest.shape.path, recursive: flag, dry_run: flag }),
  positional: ["path"],
  output: FileDeleteResult,
  run: ({ path, recursive, dry_run }, run) =>
    ask("file-delete", { path, recursive: recursive ?? false, dry_run: dry_run ?? false }, run),
});

async function ask<Name extends OperationName>(
  operation: Name,
  request: RequestOf<Name>,
  run: ProviderRun,
): Promise<Result<unknown>> {
  const { result, notice } = await run.sandbox.call(operation, request);
  await showNotice(run, notice);
  return result;
}
