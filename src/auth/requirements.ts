// Which scopes each use of this server needs: the actions of the tools, the routes, and the features of MCP. What a caller is shown
// (src/mcp, tools/index.ts) and what it may do are both derived from this table. Only the methods of run_js carry theirs
// themselves (src/isolate/providers), because each deployment may add some.

import type { Scope } from "./caller.ts";

/** Alternatives: a caller needs all scopes of one of them. */
export type Requirement = readonly (readonly Scope[])[];

const read: Requirement = [["sandbox:read"]];
const write: Requirement = [["sandbox:write"]];
const exec: Requirement = [["sandbox:exec"]];
const readOrExec: Requirement = [...read, ...exec];
const writeOrExec: Requirement = [...write, ...exec];
/** Whether a text can be replaced tells whether it is there, so that a file could be read by guessing. */
const readAndWrite: Requirement = [["sandbox:read", "sandbox:write"]];

export const requirements = {
  tools: {
    exec: { run: exec },
    process: { list: exec, read: exec, write: exec, signal: exec },
    run_js: { run: exec },
    search: { run: read },
    file: {
      ...{ read, list: read, stat: read, edit: readAndWrite },
      ...{ write, append: write, mkdir: write, move: write, copy: write, delete: write },
    },
    sandbox: {
      ...{ status: readOrExec, list: readOrExec, checkpoints: readOrExec, diff: readOrExec },
      ...{ configure: exec, stop: exec, destroy: exec, expose: exec, unexpose: exec },
      ...{ checkpoint: exec, restore: exec, fork: exec, delete_checkpoint: exec },
    },
  },
  /** Arguments that not every caller of their action may give. A hash that a file must have tells whether it has it. */
  arguments: { expected_hash: read },
  /** What answers tell besides that something was done: contents, names, sizes, kinds. */
  answers: { contents: read, previewUrls: exec },
  /** The first use of a name creates its sandbox, which counts against the quota. */
  sandboxes: { create: writeOrExec },
  files: { GET: read, HEAD: read, PUT: write },
  mcp: { resources: read, completions: read, prompts: exec },
} as const satisfies Record<string, Record<string, Requirement | Record<string, Requirement>>>;

export const allows = (scopes: ReadonlySet<Scope>, requirement: Requirement): boolean =>
  requirement.some((alternative) => alternative.every((scope) => scopes.has(scope)));
