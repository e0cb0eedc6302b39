// Writes until it is killed: one file's whole content by turns, each of one letter; edits of a second; appends to a third.

import { argv } from "node:process";
import { fileOperations } from "../../../container/runner/file/index.ts";

const [, , workspace = "", home = ""] = argv;
const place = { workspace, home };
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
    fileOperations["file-write"]({ ...text, path: "whole", content, if_absent: false }, place),
    fileOperations["file-edit"]({ ...shared, path: "edited", edits: [count] }, place),
    fileOperations["file-append"]({ ...text, path: "log", content: `${turn}\n` }, place),
  ]);
}
