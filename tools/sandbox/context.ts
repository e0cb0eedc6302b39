// What the actions of the sandbox tool get beside their arguments.

import type { Sandbox, Sandboxes } from "../../src/sandbox/sandbox.ts";
import { actionsOf } from "../actions.ts";
import type { SandboxArguments } from "./arguments.ts";

export interface View {
  now: number;
  /** Makes the URL of a preview from its label. Null when there are no previews, or when the caller may not see URLs. */
  previewUrl: Sandboxes["previewUrl"];
}

export interface Context {
  sandbox: Sandbox;
  sandboxes: Sandboxes;
  view: View;
}

export const action = actionsOf<SandboxArguments, Context>();
