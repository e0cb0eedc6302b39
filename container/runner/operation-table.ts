// The operation table: which function handles which operation of the contract.

import type * as z from "zod";
import {
  isOperationName,
  type OperationName,
  operations,
  type RequestOf,
  type ValueOf,
} from "../../src/contract/operation.ts";
import { fail, type Result } from "../../src/contract/result.ts";
import { checkpointCreate, checkpointDone } from "./checkpoint/create.ts";
import { checkpointDiff } from "./checkpoint/diff.ts";
import { checkpointText } from "./checkpoint/diff-text.ts";
import { checkpointWatch } from "./checkpoint/final-checkpoint.ts";
import { checkpointRestore } from "./checkpoint/restore.ts";
import { appendFile } from "./file/append.ts";
import { readBytes } from "./file/bytes.ts";
import { copyFiles } from "./file/copy.ts";
import { deleteFile } from "./file/delete.ts";
import { editFile } from "./file/edit.ts";
import { listFiles } from "./file/list.ts";
import { makeDirectory } from "./file/mkdir.ts";
import { moveFile } from "./file/move.ts";
import { readFile } from "./file/read.ts";
import { statFile } from "./file/stat.ts";
import { writeFile } from "./file/write.ts";
import { info } from "./info.ts";
import { invalidRequest } from "./invalid-request.ts";
import { exec } from "./process/exec.ts";
import { processList } from "./process/process-list.ts";
import { processRead } from "./process/process-read.ts";
import { processSignal } from "./process/process-signal.ts";
import { processWrite } from "./process/process-write.ts";
import type { RunnerContext } from "./runner-context.ts";
import { search } from "./search/search.ts";
import { usage } from "./usage.ts";

type Handlers = {
  [Name in OperationName]: (
    request: RequestOf<Name>,
    context: RunnerContext,
  ) => Result<ValueOf<Name>> | Promise<Result<ValueOf<Name>>>;
};

type Schemas = { [Name in OperationName]: { request: z.ZodType<RequestOf<Name>> } };

/** A handler rejects only for a bug. */
export const handlers = {
  "checkpoint-create": checkpointCreate,
  "checkpoint-diff": checkpointDiff,
  "checkpoint-done": checkpointDone,
  "checkpoint-restore": checkpointRestore,
  "checkpoint-text": checkpointText,
  "checkpoint-watch": checkpointWatch,
  exec,
  "file-append": appendFile,
  "file-bytes": readBytes,
  "file-copy": copyFiles,
  "file-delete": deleteFile,
  "file-edit": editFile,
  "file-list": listFiles,
  "file-mkdir": makeDirectory,
  "file-move": moveFile,
  "file-read": readFile,
  "file-stat": statFile,
  "file-write": writeFile,
  info,
  "process-list": processList,
  "process-read": processRead,
  "process-signal": processSignal,
  "process-write": processWrite,
  search,
  usage,
} satisfies Handlers;

/** Parses `body` for the operation and carries it out. Rejects only for a bug. */
export async function operate(name: string, body: unknown, context: RunnerContext): Promise<Result<unknown>> {
  return isOperationName(name) ? dispatch(name, body, context) : fail({ reason: "not_found", kind: "operation", name });
}

async function dispatch<Name extends OperationName>(
  name: Name,
  body: unknown,
  context: RunnerContext,
): Promise<Result<unknown>> {
  const schemas: Schemas = operations;
  const handle: Handlers[Name] = handlers[name];
  const parsed = schemas[name].request.safeParse(body);
  return parsed.success ? handle(parsed.data, context) : invalidRequest(name, parsed.error);
}
