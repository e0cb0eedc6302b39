// Every tool, in the order in which clients list them, and which of them a caller is shown.

import type { Scope } from "../src/auth/caller.ts";
import { allows, type Requirement, requirements } from "../src/auth/requirements.ts";
import { exec } from "./exec/exec.ts";
import { file } from "./file/file.ts";
import { process } from "./process/process.ts";
import { runJs } from "./run-js/run-js.ts";
import { sandbox } from "./sandbox/sandbox.ts";
import { search } from "./search/search.ts";
import type { ScopedTool, Tool } from "./tool.ts";

const { tools: needed } = requirements;

const whole =
  (tool: Tool, requirement: Requirement): ScopedTool =>
  (scopes) =>
    allows(scopes, requirement) ? tool : null;

const tools: readonly ScopedTool[] = [
  whole(exec, needed.exec.run),
  file,
  whole(search, needed.search.run),
  process,
  whole(runJs, needed.run_js.run),
  sandbox,
];

export const toolsFor = (scopes: ReadonlySet<Scope>): Tool[] => tools.flatMap((tool) => tool(scopes) ?? []);
