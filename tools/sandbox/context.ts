// What the actions of the sandbox tool are given beside their arguments.

import type { Sandbox, Sandboxes } from "../../src/sandbox/sandbox.ts";
import { actionsOf } from "../actions.ts";
import type { SandboxArguments } from "./arguments.ts";

export interface View {
  now: number;
  /** Null when the caller is shown no URLs of previews, or when there are none. */
  previewUrl: Sandboxes["previewUrl"];
}

export interface Context {
  sandbox: Sandbox;
  sandboxes: Sandboxes;
  view: View;
}

export const action = actionsOf<SandboxArguments, Context>();
