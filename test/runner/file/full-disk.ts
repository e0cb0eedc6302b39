// Run in a mount namespace: shows what write, append, edit and copy leave on a full disk.

import { deepEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exit } from "node:process";
import { failureOf, filesUnderTest, replace } from "./files-under-test.ts";

const root = mkdtempSync(join(tmpdir(), "full-disk-"));
if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", root]).status !== 0) exit(77);
const files = filesUnderTest(root);
const old = "old line\n".repeat(100);
files.put("file", old);
files.put("large", "y".repeat(120 * 1024));
mkdirSync(files.path("tree"));
files.put("tree/a", "z".repeat(60 * 1024));

const much = "x".repeat(300 * 1024);
const full = (name: string) => ({ reason: "disk_full", path: files.path(name) });
deepEqual(failureOf(await files.write("file", much)), full("file"));
deepEqual(failureOf(await files.write("new", much)), full("new"));
deepEqual(failureOf(await files.append("file", much)), full("file"));
deepEqual(failureOf(await files.edit("file", [replace("old line\nold", much, true)])), full("file"));
deepEqual(
  failureOf(await files.call("file-copy", { from: "large", to: "copy", overwrite: false, dry_run: false })),
  full("copy"),
);
files.put("tree/b", "z".repeat(30 * 1024));
deepEqual(
  failureOf(await files.call("file-copy", { from: "tree", to: "tree2", overwrite: false, dry_run: false })),
  full("tree2"),
);
deepEqual(readFileSync(files.path("file"), "utf8"), old);
deepEqual(readdirSync(files.roots.workspace).sort(), ["file", "large", "tree"]);
