// Run in a mount namespace: a file that is a mount point, as /etc/hosts is in containers, cannot be replaced by a rename.

import { deepEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { exit } from "node:process";
import { done, filesUnderTest, replace } from "./files-under-test.ts";

using files = filesUnderTest();
files.put("source", "127.0.0.1 localhost\n");
files.put("hosts", "");
if (spawnSync("mount", ["--bind", files.path("source"), files.path("hosts")]).status !== 0) exit(77);
const value = done(await files.edit("hosts", [replace("localhost", "localhost example")]));
deepEqual([value.in_place, files.text("hosts")], [true, "127.0.0.1 localhost example\n"]);
deepEqual(done(await files.write("hosts", "short\n")).in_place, true);
deepEqual(files.text("source"), "short\n");
deepEqual(readdirSync(files.roots.workspace).sort(), ["hosts", "source"]);
spawnSync("umount", [files.path("hosts")]);
