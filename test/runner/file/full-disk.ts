// Run in a mount namespace: shows what write, append, edit and copy leave on a full disk.

import { deepEqual, ok } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exit } from "node:process";
import type { Failure } from "../../../src/contract/failure.ts";
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
const KIB = 1024;
/** Whether the failure says what is full and what fills it. */
function isFull(failure: Failure, name: string): void {
  ok(failure.reason === "disk_full" && failure.disk !== null);
  deepEqual(failure.path, files.path(name));
  deepEqual(failure.disk.total_bytes, 256 * KIB);
  deepEqual(failure.disk.largest[0], { path: files.path("large"), amount: 120 * KIB });
}
isFull(failureOf(await files.write("file", much)), "file");
isFull(failureOf(await files.write("new", much)), "new");
isFull(failureOf(await files.append("file", much)), "file");
isFull(failureOf(await files.edit("file", [replace("old line\nold", much, true)])), "file");
isFull(
  failureOf(await files.call("file-copy", { from: "large", to: "copy", overwrite: false, dry_run: false })),
  "copy",
);
files.put("tree/b", "z".repeat(30 * 1024));
isFull(
  failureOf(await files.call("file-copy", { from: "tree", to: "tree2", overwrite: false, dry_run: false })),
  "tree2",
);
deepEqual(readFileSync(files.path("file"), "utf8"), old);
deepEqual(readdirSync(files.roots.workspace).sort(), ["file", "large", "tree"]);
