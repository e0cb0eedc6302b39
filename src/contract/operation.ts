// The operation table: everything that the runner does, by name, with the schemas of the request and of the value in its
// Result.

import type * as z from "zod";
import { CheckpointCreateRequest, CheckpointCreateResult } from "./checkpoint-create.ts";
import { CheckpointCompareRequest, CheckpointCompareResult } from "./checkpoint-diff.ts";
import { CheckpointDoneRequest, CheckpointDoneResult } from "./checkpoint-done.ts";
import { CheckpointRestoreRequest, CheckpointRestoreResult } from "./checkpoint-restore.ts";
import { CheckpointTextRequest, CheckpointTextResult } from "./checkpoint-text.ts";
import { CheckpointWatchRequest, CheckpointWatchResult } from "./checkpoint-watch.ts";
import { ExecRequest, ExecResult } from "./exec.ts";
import { FileAppendRequest, FileAppendResult } from "./file-append.ts";
import { FileBytesRequest, FileBytesResult } from "./file-bytes.ts";
import { FileCopyRequest, FileCopyResult } from "./file-copy.ts";
import { FileDeleteRequest, FileDeleteResult } from "./file-delete.ts";
import { FileEditRequest, FileEditResult } from "./file-edit.ts";
import { FileListRequest, FileListResult } from "./file-list.ts";
import { FileMkdirRequest, FileMkdirResult } from "./file-mkdir.ts";
import { FileMoveRequest, FileMoveResult } from "./file-move.ts";
import { FileReadRequest, FileReadResult } from "./file-read.ts";
import { FileStatRequest, FileStatResult } from "./file-stat.ts";
import { FileWriteRequest, FileWriteResult } from "./file-write.ts";
import { InfoRequest, InfoResult } from "./info.ts";
import { ProcessListRequest, ProcessListResult } from "./process-list.ts";
import { ProcessReadRequest, ProcessReadResult } from "./process-read.ts";
import { ProcessSignalRequest, ProcessSignalResult } from "./process-signal.ts";
import { ProcessWriteRequest, ProcessWriteResult } from "./process-write.ts";
import { SearchRequest, SearchResult } from "./search.ts";
import { UsageRequest, UsageResult } from "./usage.ts";

export const operations = {
  "checkpoint-create": { request: CheckpointCreateRequest, value: CheckpointCreateResult },
  "checkpoint-diff": { request: CheckpointCompareRequest, value: CheckpointCompareResult },
  "checkpoint-done": { request: CheckpointDoneRequest, value: CheckpointDoneResult },
  "checkpoint-restore": { request: CheckpointRestoreRequest, value: CheckpointRestoreResult },
  "checkpoint-text": { request: CheckpointTextRequest, value: CheckpointTextResult },
  "checkpoint-watch": { request: CheckpointWatchRequest, value: CheckpointWatchResult },
  exec: { request: ExecRequest, value: ExecResult },
  "file-append": { request: FileAppendRequest, value: FileAppendResult },
  "file-bytes": { request: FileBytesRequest, value: FileBytesResult },
  "file-copy": { request: FileCopyRequest, value: FileCopyResult },
  "file-delete": { request: FileDeleteRequest, value: FileDeleteResult },
  "file-edit": { request: FileEditRequest, value: FileEditResult },
  "file-list": { request: FileListRequest, value: FileListResult },
  "file-mkdir": { request: FileMkdirRequest, value: FileMkdirResult },
  "file-move": { request: FileMoveRequest, value: FileMoveResult },
  "file-read": { request: FileReadRequest, value: FileReadResult },
  "file-stat": { request: FileStatRequest, value: FileStatResult },
  "file-write": { request: FileWriteRequest, value: FileWriteResult },
  info: { request: InfoRequest, value: InfoResult },
  "process-list": { request: ProcessListRequest, value: ProcessListResult },
  "process-read": { request: ProcessReadRequest, value: ProcessReadResult },
  "process-signal": { request: ProcessSignalRequest, value: ProcessSignalResult },
  "process-write": { request: ProcessWriteRequest, value: ProcessWriteResult },
  usage: { request: UsageRequest, value: UsageResult },
  search: { request: SearchRequest, value: SearchResult },
} as const satisfies Record<string, { request: z.ZodType; value: z.ZodType }>;

export type OperationName = keyof typeof operations;
export type RequestOf<Name extends OperationName> = z.infer<(typeof operations)[Name]["request"]>;
export type ValueOf<Name extends OperationName> = z.infer<(typeof operations)[Name]["value"]>;

export const isOperationName = (name: string): name is OperationName => Object.hasOwn(operations, name);

/** Incremented when an older runner could misread a request. */
export const CONTRACT_VERSION = 1;

/** The only port of the runner. It is an uncommon number, so that development servers do not use it. */
export const RUNNER_PORT = 39_100;

/** The request is POSTed to this path as JSON; the response is 200 with a Result as JSON. */
export const operationPath = (name: OperationName): string => `/v1/${name}`;
