// Which function answers which operation of the contract.

import type * as z from "zod";
import { isOperationName, type OperationName, operations } from "../../src/contract/operation.ts";
import { fail, type Result } from "../../src/contract/result.ts";
import { checkpointCreate, checkpointDone } from "./checkpoint/create.ts";
import { checkpointDiff, checkpointText } from "./checkpoint/diff.ts";
import { checkpointWatch } from "./checkpoint/final-checkpoint.ts";
import { restore } from "./checkpoint/restore.ts";
import { fileOperations } from "./file/index.ts";
import type { FilePlace } from "./file/resolve-path.ts";
import { info } from "./info.ts";
import { exec } from "./process/exec.ts";
import { processList } from "./process/process-list.ts";
import { processRead } from "./process/process-read.ts";
import { processSignal } from "./process/process-signal.ts";
import { processWrite } from "./process/process-write.ts";
import type { RunnerContext } from "./runner-context.ts";
import { searchOperations } from "./search/index.ts";
import { usage } from "./usage.ts";

type Answer = (body: unknown, context: RunnerContext) => Promise<Result<unknown>>;

const answers: Record<OperationName, Answer> = {
  "checkpoint-create": answering("checkpoint-create", operations["checkpoint-create"], checkpointCreate),
  "checkpoint-diff": answering("checkpoint-diff", operations["checkpoint-diff"], checkpointDiff),
  "checkpoint-done": answering("checkpoint-done", operations["checkpoint-done"], checkpointDone),
  "checkpoint-restore": answering("checkpoint-restore", operations["checkpoint-restore"], restore),
  "checkpoint-text": answering("checkpoint-text", operations["checkpoint-text"], checkpointText),
  "checkpoint-watch": answering("checkpoint-watch", operations["checkpoint-watch"], checkpointWatch),
  exec: answering("exec", operations.exec, exec),
  "file-append": answering("file-append", operations["file-append"], placed(fileOperations["file-append"])),
  "file-bytes": answering("file-bytes", operations["file-bytes"], placed(fileOperations["file-bytes"])),
  "file-copy": answering("file-copy", operations["file-copy"], placed(fileOperations["file-copy"])),
  "file-delete": answering("file-delete", operations["file-delete"], placed(fileOperations["file-delete"])),
  "file-edit": answering("file-edit", operations["file-edit"], placed(fileOperations["file-edit"])),
  "file-list": answering("file-list", operations["file-list"], placed(fileOperations["file-list"])),
  "file-mkdir": answering("file-mkdir", operations["file-mkdir"], placed(fileOperations["file-mkdir"])),
  "file-move": answering("file-move", operations["file-move"], placed(fileOperations["file-move"])),
  "file-read": answering("file-read", operations["file-read"], placed(fileOperations["file-read"])),
  "file-stat": answering("file-stat", operations["file-stat"], placed(fileOperations["file-stat"])),
  "file-write": answering("file-write", operations["file-write"], placed(fileOperations["file-write"])),
  info: answering("info", operations.info, info),
  "process-list": answering("process-list", operations["process-list"], processList),
  "process-read": answering("process-read", operations["process-read"], processRead),
  "process-signal": answering("process-signal", operations["process-signal"], processSignal),
  "process-write": answering("process-write", operations["process-write"], processWrite),
  usage: answering("usage", operations.usage, usage),
  search: answering("search", operations.search, searchOperations.search),
};

/** Parses `body` for the operation and carries it out. Throws only on a bug. */
export async function operate(name: string, body: unknown, context: RunnerContext): Promise<Result<unknown>> {
  return isOperationName(name) ? answers[name](body, context) : fail({ reason: "not_found", kind: "operation", name });
}

function answering<Request extends z.ZodType, Value extends z.ZodType>(
  name: OperationName,
  operation: { request: Request; value: Value },
  handle: (
    request: z.output<Request>,
    context: RunnerContext,
  ) => Result<z.input<Value>> | Promise<Result<z.input<Value>>>,
): Answer {
  return async (body, context) => {
    const parsed = operation.request.safeParse(body);
    return parsed.success
      ? handle(parsed.data, context)
      : fail({ reason: "invalid_request", message: wordsOf(name, parsed.error) });
  };
}

/** Files are found from where commands run. */
function placed<Request, Answer>(handle: (request: Request, place: FilePlace) => Answer) {
  return (request: Request, context: RunnerContext) => handle(request, context.options);
}

const wordsOf = (name: string, error: z.ZodError): string =>
  `${name}: ${error.issues.map((issue) => [issue.path.join("."), issue.message].filter(Boolean).join(": ")).join("; ")}`;
