// Reads a large file in a process of its own, whose peak memory the test measures.

import { argv, resourceUsage } from "node:process";
import { readFile } from "../../../container/runner/file/read.ts";
import { done } from "./files-under-test.ts";

const roots = { workspace: argv[2] ?? "", home: "/" };
const read = async (offset: number) => {
  const request = { path: "large", offset, limit: 2, column: 1, max_chars: 38_000, force_text: false };
  const value = done(await readFile(request, roots));
  if (value.type !== "text") throw new Error(value.type);
  const { lines, first_line, total_lines } = value.text;
  return { lines, first_line, total_lines };
};
const before = resourceUsage().maxRSS;
const late = await read(5_000_000);
const last = await read(-2);
const grownMiB = Math.round((resourceUsage().maxRSS - before) / 1024);
console.log(JSON.stringify({ late, last, grownMiB }));
