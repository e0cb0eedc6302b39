// The first write of a runner that has just started, beside the temporary of another that came up meanwhile and copies something old.

import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { fileOperations } from "../../../container/runner/file/index.ts";

const [, , workspace = "", home = ""] = argv;
const other = join(workspace, `.sandbox-mcp-${"1".repeat(32)}.tmp`);
writeFileSync(other, "");
utimesSync(other, 1, 1);
await fileOperations["file-write"](
  { path: "file", content: "a", encoding: "utf-8", if_absent: false, expected_hash: null, dry_run: false },
  { workspace, home },
);
