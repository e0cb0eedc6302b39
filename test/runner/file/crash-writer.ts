// Until it is killed, writes whole contents of one letter to one file, edits a second file and appends to a third.

import { argv } from "node:process";
import { appendFile } from "../../../container/runner/file/append.ts";
import { editFile } from "../../../container/runner/file/edit.ts";
import { writeFile } from "../../../container/runner/file/write.ts";

const [, , workspace = "", home = ""] = argv;
const roots = { workspace, home };
const shared = { expected_hash: null, dry_run: false };
const text = { ...shared, encoding: "utf-8" } as const;
const sizes = [1, 4_096, 700_000, 50_000];
process.stdout.write("ready\n");
for (let turn = 0; ; turn++) {
  const content = String.fromCharCode(97 + (turn % 26)).repeat(sizes[turn % sizes.length] ?? 1);
  const count = {
    kind: "replace",
    old_string: `count=${turn}\n`,
    new_string: `count=${turn + 1}\n`,
    replace_all: false,
  } as const;
  await Promise.all([
    writeFile({ ...text, path: "whole", content, if_absent: false }, roots),
    editFile({ ...shared, path: "edited", edits: [count] }, roots),
    appendFile({ ...text, path: "log", content: `${turn}\n` }, roots),
  ]);
}
