// The first write of a new runner into a directory where another runner has started a copy of an old file.

import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { writeFile } from "../../../container/runner/file/write.ts";

const [, , workspace = "", home = ""] = argv;
const other = join(workspace, `.sandbox-mcp-${"1".repeat(32)}.tmp`);
writeFileSync(other, "");
utimesSync(other, 1, 1);
await writeFile(
  { path: "file", content: "a", encoding: "utf-8", if_absent: false, expected_hash: null, dry_run: false },
  { workspace, home },
);
