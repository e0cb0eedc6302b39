// file: reading, writing and looking after files in the machine. A caller who may only read is shown only that.

import type { Failure } from "../../src/contract/failure.ts";
import { limits } from "../../src/contract/limits.ts";
import type { OperationName, RequestOf, ValueOf } from "../../src/contract/operation.ts";
import { DEFAULT_SANDBOX, type Sandbox } from "../../src/sandbox/sandbox.ts";
import { downloadLine } from "../../src/sandbox/transfer/transfer-url.ts";
import { defineTool, showNotice, type ToolAnswer, type ToolCall } from "../tool.ts";
import { allArguments, argumentFailure, type FileArguments, onlyReadingArguments } from "./arguments.ts";
import { editsOf } from "./edits.ts";
import { appendedText, editedText, writtenText } from "./format-change.ts";
import { copiedText, deletedText, madeText, movedText, statText } from "./format-entry.ts";
import { bytesText, readAnswer } from "./format-read.ts";
import { treeText } from "./format-tree.ts";

const shared = { name: "file", output: null } as const;

export const file = defineTool({
  ...shared,
  title: "Read, write and edit files",
  description:
    "Files in the Linux machine. read: numbered lines with totals, images as images, PDF text. edit: replaces an exact old_string " +
    "or inserts lines, byte for byte, keeping line endings, and answers a diff. write, append: whole content, parents are made. " +
    "list: a tree, without what git ignores. stat: kind, size, times, hash. mkdir, move, copy, delete. Writes are atomic and on disk " +
    "when answered; parallel edits of one file all land. Better than cat, sed and echo in exec.",
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  scope: "sandbox:write",
  input: allArguments,
  run: (input, call) => run(input, call),
});

export const fileReading = defineTool({
  ...shared,
  title: "Read files",
  description:
    "Files in the Linux machine, to read only. read: numbered lines with totals, images as images, PDF text. list: a tree, without " +
    "what git ignores. stat: kind, size, times, hash.",
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  scope: "sandbox:read",
  input: onlyReadingArguments,
  run: (input, call) => run(input, call),
});

async function run(input: FileArguments, call: ToolCall): Promise<ToolAnswer> {
  const failure = argumentFailure(input);
  if (failure !== null) return { failure, notice: null };
  const sandbox = call.sandboxes.open(input.sandbox ?? DEFAULT_SANDBOX);
  const { path = ".", to = "", content = "" } = input;
  const dry_run = input.dry_run ?? false;
  const expected_hash = input.expected_hash ?? null;
  const overwrite = input.overwrite ?? false;
  const encoding = input.encoding === "base64" ? ("base64" as const) : ("utf-8" as const);
  switch (input.action) {
    case "read":
      return input.encoding === "base64" ? readBytes(sandbox, path, input, call) : readText(sandbox, path, input, call);
    case "list":
      return ask(sandbox, "file-list", listRequest(path, input), (value) => ({ text: treeText(value) }));
    case "stat":
      return ask(sandbox, "file-stat", { path }, (value) => ({ text: statText(value) }));
    case "write": {
      const request = { path, content, encoding, if_absent: input.if_absent ?? false, expected_hash, dry_run };
      return ask(sandbox, "file-write", request, (value) => ({ text: writtenText(value) }));
    }
    case "append": {
      const request = { path, content, encoding, expected_hash, dry_run };
      return ask(sandbox, "file-append", request, (value) => ({ text: appendedText(value) }));
    }
    case "edit": {
      const edits = editsOf(input);
      if (!edits.ok) return { failure: edits.failure, notice: null };
      const request = { path, edits: edits.value, expected_hash, dry_run };
      return ask(sandbox, "file-edit", request, (value) => ({ text: editedText(value) }));
    }
    case "mkdir":
      return ask(sandbox, "file-mkdir", { path, dry_run }, (value) => ({ text: madeText(value) }));
    case "move":
      return ask(sandbox, "file-move", { from: path, to, overwrite, dry_run }, (value) => ({ text: movedText(value) }));
    case "copy":
      return ask(sandbox, "file-copy", { from: path, to, overwrite, dry_run }, (value) => ({
        text: copiedText(value),
      }));
    case "delete": {
      const request = { path, recursive: input.recursive ?? false, dry_run };
      return ask(sandbox, "file-delete", request, (value) => ({ text: deletedText(value) }));
    }
  }
}

function readText(sandbox: Sandbox, path: string, input: FileArguments, call: ToolCall): Promise<ToolAnswer> {
  const column = input.column ?? 1;
  const request = {
    path,
    // Counted from 1; whoever counts from 0 means the first line.
    offset: input.offset === undefined || input.offset === 0 ? 1 : input.offset,
    limit: input.limit ?? limits.fileReadLines,
    column,
    max_chars: limits.fileReadChars,
    force_text: input.encoding === "text",
  };
  return ask(sandbox, "file-read", request, (value) =>
    readAnswer(value, { column, offset: request.offset, download: download(sandbox, value.path, call) }),
  );
}

function readBytes(sandbox: Sandbox, path: string, input: FileArguments, call: ToolCall): Promise<ToolAnswer> {
  const length = Math.min(input.limit ?? limits.fileBytesDefault, limits.fileBytesDefault);
  const request = { path, offset: input.offset ?? 0, length };
  return ask(sandbox, "file-bytes", request, (value) => ({
    text: bytesText(value, download(sandbox, value.path, call)),
  }));
}

const download = ({ name }: Sandbox, path: string, { origin }: ToolCall): string =>
  downloadLine({ origin, sandbox: name, path });

const listRequest = (path: string, input: FileArguments): RequestOf<"file-list"> => ({
  path,
  depth: input.depth ?? limits.fileListDepth,
  no_ignore: input.no_ignore ?? false,
  offset: Math.max(0, input.offset ?? 0),
  limit: Math.min(input.limit ?? limits.fileListEntries, limits.fileListMaxEntries),
});

type Said = { text: string; image?: { data: string; mimeType: string } };

/** One operation, and its value in words. */
async function ask<Name extends OperationName>(
  sandbox: Sandbox,
  operation: Name,
  request: RequestOf<Name>,
  say: (value: ValueOf<Name>) => Said,
): Promise<ToolAnswer> {
  const { result, notice: due } = await sandbox.call(operation, request);
  const notice = await showNotice(sandbox, due);
  if (!result.ok) return { failure: result.failure satisfies Failure, notice };
  const { text, image } = say(result.value);
  const whole = notice === null ? text : `Notice: ${notice}\n${text}`;
  return image === undefined ? { text: whole, structured: null } : { text: whole, image };
}
