// The actions of the sandbox tool on checkpoints.

import type { Sandbox } from "../src/sandbox/sandbox.ts";
import type { ToolAnswer } from "./tool.ts";

export async function runCheckpointAction(action: string, _input: object, _sandbox: Sandbox): Promise<ToolAnswer> {
  return { failure: { reason: "invalid_request", message: `${action} is not there yet.` }, notice: null };
}
