// The file operations, by name.

import type { OperationName, RequestOf, ValueOf } from "../../../src/contract/operation.ts";
import type { Result } from "../../../src/contract/result.ts";
import { appendFile } from "./append.ts";
import { readBytes } from "./bytes.ts";
import { copyFiles } from "./copy.ts";
import { deleteFile } from "./delete.ts";
import { editFile } from "./edit.ts";
import { listFiles } from "./list.ts";
import { makeDirectory } from "./mkdir.ts";
import { moveFile } from "./move.ts";
import { readFile } from "./read.ts";
import type { FilePlace } from "./resolve-path.ts";
import { statFile } from "./stat.ts";
import { writeFile } from "./write.ts";

export type FileOperationName = Extract<OperationName, `file-${string}`>;

type FileOperations = {
  [Name in FileOperationName]: (request: RequestOf<Name>, place: FilePlace) => Promise<Result<ValueOf<Name>>>;
};

/** None rejects but for a bug. */
export const fileOperations: FileOperations = {
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
};
