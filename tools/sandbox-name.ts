// The argument `sandbox`, which every tool takes, and the sandbox that it names.

import * as z from "zod";
import { DEFAULT_SANDBOX, SANDBOX_NAME, type Sandbox } from "../src/sandbox/sandbox.ts";
import type { ToolCall } from "./tool.ts";

export const sandboxName = () =>
  z
    .string()
    .regex(SANDBOX_NAME, 'must be 1 to 40 lower-case letters, digits and "-", and start with a letter or a digit')
    .optional()
    .describe(`Name of the sandbox; default "${DEFAULT_SANDBOX}"`);

export const openSandbox = ({ sandboxes }: ToolCall, name: string | undefined): Sandbox =>
  sandboxes.open(name ?? DEFAULT_SANDBOX);
