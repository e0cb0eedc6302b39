// Every tool, in the order in which clients list them, and which of them a caller is shown.

import type { Scope } from "../src/auth/caller.ts";
import { exec } from "./exec/exec.ts";
import { file, readOnlyFile } from "./file/file.ts";
import { process } from "./process/process.ts";
import { runJs } from "./run-js/run-js.ts";
import { readOnlySandbox, sandbox } from "./sandbox/sandbox.ts";
import { search } from "./search/search.ts";
import type { Tool } from "./tool.ts";

/** The variants of one tool share its name; a caller is shown the first whose scope it has. */
const tools: readonly (readonly Tool[])[] = [
  [exec],
  [file, readOnlyFile],
  [search],
  [process],
  [runJs],
  [sandbox, readOnlySandbox],
];

export const toolsFor = (scopes: ReadonlySet<Scope>): Tool[] =>
  tools.flatMap((variants) => variants.find(({ scope }) => scopes.has(scope)) ?? []);
