// file: reads, writes and manages files in the machine. A caller that may only read is shown a variant that only reads.

import { runAction } from "../actions.ts";
import { openSandbox } from "../sandbox-name.ts";
import { defineTool } from "../tool.ts";
import { fileActions } from "./actions.ts";
import { allArguments, readOnlyArguments } from "./arguments.ts";

export const file = defineTool({
  name: "file",
  title: "Read, write and edit files",
  description:
    "Files in the Linux machine. read: numbered lines with totals, images as images, PDF text. edit: replaces an exact old_string " +
    "or inserts lines, byte for byte, keeps line endings, and returns a diff. write, append: whole content, parents are created. " +
    "list: a tree, without what git ignores. stat: kind, size, times, hash. mkdir, move, copy, delete. Writes are atomic and on disk " +
    "when the call returns; parallel edits of one file all take effect. Better than cat, sed and echo in exec.",
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  scope: "sandbox:write",
  input: allArguments,
  output: null,
  run: (input, call) => runAction(fileActions, input, { sandbox: openSandbox(call, input.sandbox), call }),
});

export const readOnlyFile = defineTool({
  name: "file",
  title: "Read files",
  description:
    "Reads files in the Linux machine. read: numbered lines with totals, images as images, PDF text. list: a tree, without what git " +
    "ignores. stat: kind, size, times, hash.",
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  scope: "sandbox:read",
  input: readOnlyArguments,
  output: null,
  run: (input, call) => runAction(fileActions, input, { sandbox: openSandbox(call, input.sandbox), call }),
});
