// Every tool, in the order clients list them.

import { exec } from "./exec.ts";
import { process } from "./process.ts";
import type { Tool } from "./tool.ts";

export const tools: readonly Tool[] = [exec, process];
