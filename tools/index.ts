// Every tool, in the order clients list them, and which of them a caller is shown.

import type { Scope } from "../src/auth/caller.ts";
import { exec } from "./exec/exec.ts";
import { file, fileReading } from "./file/file.ts";
import { process } from "./process/process.ts";
import { runJs } from "./run-js/run-js.ts";
import { sandbox, sandboxReading } from "./sandbox/sandbox.ts";
import { search } from "./search/search.ts";
import type { Tool } from "./tool.ts";

/** The variants of one tool share its name; the first whose scope the caller has is the one shown. */
const tools: readonly (readonly Tool[])[] = [
  [exec],
  [file, fileReading],
  [search],
  [process],
  [runJs],
  [sandbox, sandboxReading],
];

export const toolsFor = (scopes: ReadonlySet<Scope>): Tool[] =>
  tools.flatMap((variants) => variants.find(({ scope }) => scopes.has(scope)) ?? []);
