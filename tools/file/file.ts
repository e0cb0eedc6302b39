// file: reads, writes and manages files in the machine.

import { allows, requirements } from "../../src/auth/requirements.ts";
import { actionTool } from "../action-tool.ts";
import { openSandbox } from "../sandbox-name.ts";
import { fileActions } from "./actions.ts";
import { FileArguments } from "./arguments.ts";

export const file = actionTool({
  name: "file",
  title: (actions) => {
    if (!actions.includes("write")) return "Read files";
    return actions.includes("read") ? "Read, write and edit files" : "Write files";
  },
  description: [
    [null, "Files in the Linux machine."],
    [["read"], "read: numbered lines with totals, images as images, PDF text."],
    [
      ["edit"],
      "edit: replaces an exact old_string or inserts lines, byte for byte, keeps line endings, and returns a diff.",
    ],
    [["write"], "write, append: whole content, parents are created."],
    [["list"], "list: a tree, without what git ignores."],
    [["stat"], "stat: kind, size, times, hash."],
    [["write"], "mkdir, move, copy, delete. Writes are atomic and on disk when the call returns."],
    [["edit"], "Parallel edits of one file all take effect. Better than cat, sed and echo in exec."],
  ],
  input: FileArguments,
  output: null,
  table: fileActions,
  requires: requirements.tools.file,
  context: (input, call, scopes) => ({
    sandbox: openSandbox(call, input.sandbox),
    call,
    showsContents: allows(scopes, requirements.answers.contents),
  }),
});
