// A tool as a caller with some scopes is shown it.

import { SCOPES, type Scope } from "../../src/auth/caller.ts";
import { toolsFor } from "../../tools/index.ts";
import type { Tool } from "../../tools/tool.ts";

export function toolFor(name: string, scopes: readonly Scope[] = SCOPES): Tool {
  const tool = toolsFor(new Set(scopes)).find((tool) => tool.name === name);
  if (tool === undefined) throw new Error(`Nobody with ${scopes.join(" and ")} is shown the tool ${name}`);
  return tool;
}
