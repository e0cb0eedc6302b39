// The argument `sandbox`, which every tool that acts in a machine takes.

import * as z from "zod";
import { SANDBOX_NAME } from "../src/sandbox/sandbox.ts";

export const sandboxName = () =>
  z
    .string()
    .regex(SANDBOX_NAME, 'must be 1 to 40 of lower-case letters, digits and "-", and start with a letter or a digit')
    .optional()
    .describe('Which sandbox; "default" when absent');
