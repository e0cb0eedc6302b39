// Unpacks the subtrees that pack-deep.ts has archived into the tree that the rest of their layer was unpacked in.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { removeTree } from "../file/remove-tree.ts";
import { DEEP_DIRECTORY } from "./deep-paths.ts";
import { openSteps, pathOf } from "./open-steps.ts";
import { unpackOptions } from "./unpack.ts";

/** Resolves to what tar said about entries that it could not unpack; empty when there are none. */
export async function unpackDeep(tree: string): Promise<string> {
  const archives = join(tree, DEEP_DIRECTORY);
  if (!existsSync(archives)) return "";
  const index = (await readFile(join(archives, "index"), "utf8")).split("\n").filter(Boolean);
  let trouble = "";
  for (const { name, steps } of index.map((line) => DeepArchive.parse(JSON.parse(line)))) {
    await using directory = await openSteps(tree, steps);
    trouble += await extract(join(archives, name), pathOf(directory));
  }
  await removeTree(archives);
  return trouble.trim();
}

const DeepArchive = z.object({ name: z.string().regex(/^\d+\.tar$/), steps: z.array(z.string()) });

function extract(archive: string, directory: string): Promise<string> {
  const tar = spawn("tar", ["--extract", `--file=${archive}`, ...unpackOptions()], {
    cwd: directory,
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  tar.stderr.setEncoding("latin1").on("data", (text: string) => {
    if (stderr.length < STDERR_CHARS) stderr += text;
  });
  return new Promise((resolve, reject) => {
    tar.once("error", reject);
    tar.once("close", (code) => resolve(code === 0 ? "" : `${stderr.trim() || `code ${code}`}\n`));
  });
}

const STDERR_CHARS = 4_000;
