// The actions of the file tool. Each is one operation, except that read is one for lines and another for bytes.

import { limits } from "../../src/contract/limits.ts";
import type { OperationName, RequestOf, ValueOf } from "../../src/contract/operation.ts";
import { concealFailure } from "../../src/format/conceal-failure.ts";
import { resolveFileBytes } from "../../src/operations/file-bytes.ts";
import { resolveFileEdit } from "../../src/operations/file-edit.ts";
import {
  resolveFileCopy,
  resolveFileDelete,
  resolveFileMkdir,
  resolveFileMove,
} from "../../src/operations/file-entries.ts";
import { resolveFileList } from "../../src/operations/file-list.ts";
import { resolveFileRead } from "../../src/operations/file-read.ts";
import { resolveFileAppend, resolveFileWrite } from "../../src/operations/file-write.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { formatDownload } from "../../src/sandbox/transfer/format-download.ts";
import { type ActionTable, actionsOf } from "../actions.ts";
import { answerFailure, answerOperation, content } from "../answer.ts";
import type { Outcome, ToolAnswer, ToolCall } from "../tool.ts";
import type { FileArguments } from "./arguments.ts";
import { formatAppended, formatEdited, formatWritten } from "./format-change.ts";
import { formatCopied, formatCreated, formatDeleted, formatMoved, formatStat } from "./format-entry.ts";
import { formatBytesRead, readOutcome } from "./format-read.ts";
import { formatTree } from "./format-tree.ts";

interface Context {
  sandbox: Sandbox;
  call: ToolCall;
  /** The caller may know more of the files than that an action was done. */
  showsContents: boolean;
}

const action = actionsOf<FileArguments, Context>();

const read = action({
  needs: ["path"],
  takes: ["offset", "limit", "column", "encoding"],
  run({ limit, ...input }, context) {
    const { sandbox, call } = context;
    const download = (path: string) => formatDownload({ origin: call.origin, sandbox: sandbox.name, path });
    if (input.encoding === "base64") {
      const request = resolveFileBytes({ ...input, length: limit }, { maxBytes: limits.fileBytesDefault });
      return perform(context, "file-bytes", request, (value) => content(formatBytesRead(value, download(value.path))));
    }
    const request = resolveFileRead({ ...input, limit });
    return perform(context, "file-read", request, (value) =>
      readOutcome(value, { column: request.column, offset: request.offset, download: download(value.path) }),
    );
  },
});

const list = action({
  needs: [],
  takes: ["path", "depth", "offset", "limit", "no_ignore"],
  run: (input, context) =>
    perform(context, "file-list", resolveFileList(input, listDefaults), (value) => content(formatTree(value))),
});

const listDefaults = {
  depth: limits.fileListDepth,
  entries: limits.fileListEntries,
  innerEntries: limits.fileListInnerEntries,
};

const stat = action({
  needs: ["path"],
  takes: [],
  run: ({ path }, context) => perform(context, "file-stat", { path }, (value) => content(formatStat(value))),
});

const write = action({
  needs: ["path", "content"],
  takes: ["encoding", "if_absent", "expected_hash", "dry_run"],
  run: (input, context) =>
    perform(context, "file-write", resolveFileWrite(input), (value) => content(formatWritten(value))),
});

const append = action({
  needs: ["path", "content"],
  takes: ["encoding", "expected_hash", "dry_run"],
  run: (input, context) =>
    perform(context, "file-append", resolveFileAppend(input), (value) => content(formatAppended(value))),
});

const edit = action({
  needs: ["path"],
  takes: ["old_string", "new_string", "replace_all", "insert_line", "edits", "expected_hash", "dry_run"],
  async run(input, context) {
    const request = resolveFileEdit(input);
    if (!request.ok) return answerFailure(request.failure);
    return perform(context, "file-edit", request.value, (value) => content(formatEdited(value)));
  },
});

const mkdir = action({
  needs: ["path"],
  takes: ["dry_run"],
  run: (input, context) =>
    perform(context, "file-mkdir", resolveFileMkdir(input), (value) => content(formatCreated(value))),
});

const move = action({
  needs: ["path", "to"],
  takes: ["overwrite", "dry_run"],
  run: ({ path, ...input }, context) =>
    perform(context, "file-move", resolveFileMove({ from: path, ...input }), (value) => content(formatMoved(value))),
});

const copy = action({
  needs: ["path", "to"],
  takes: ["overwrite", "dry_run"],
  run: ({ path, ...input }, context) =>
    perform(context, "file-copy", resolveFileCopy({ from: path, ...input }), (value) => content(formatCopied(value))),
});

const remove = action({
  needs: ["path"],
  takes: ["recursive", "dry_run"],
  run: (input, context) =>
    perform(context, "file-delete", resolveFileDelete(input), (value) => content(formatDeleted(value))),
});

export const fileActions: ActionTable<FileArguments, Context> = {
  actions: { read, list, stat, write, append, edit, mkdir, move, copy, delete: remove },
  described: {},
};

async function perform<Name extends OperationName>(
  { sandbox, showsContents }: Context,
  operation: Name,
  request: RequestOf<Name>,
  format: (value: ValueOf<Name>) => Outcome,
): Promise<ToolAnswer> {
  const answer = await sandbox.call(operation, request);
  if (showsContents) return answerOperation(sandbox, answer, format);
  const { result } = answer;
  // Its notice stays due for a caller who may read it.
  if (!result.ok) return answerFailure(concealFailure(result.failure, pathsOf(request)));
  const isDryRun = "dry_run" in request && request.dry_run;
  return { outcome: content(isDryRun ? "Dry run: it can be done. Nothing was changed." : "Done."), notice: null };
}

const pathsOf = (request: object): string[] =>
  Object.entries(request).flatMap(([name, value]) => (PATHS.has(name) && typeof value === "string" ? [value] : []));

const PATHS = new Set(["path", "from", "to"]);
