// Creates the McpServer of one message, with the tools that the caller's scopes allow. Nothing is kept between two messages.

import { McpServer, type StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import packageJson from "../../package.json" with { type: "json" };
import { callTool } from "../../tools/call-tool.ts";
import { toolsFor } from "../../tools/index.ts";
import { jsonSchema } from "../../tools/json-schema.ts";
import type { Tool, ToolCall } from "../../tools/tool.ts";
import type { Caller } from "../auth/caller.ts";
import { allows, type Requirement, requirements } from "../auth/requirements.ts";
import type { Isolates } from "../isolate/isolate.ts";
import type { Sandboxes } from "../sandbox/sandbox.ts";
import { registerPrompts } from "./prompts.ts";
import { registerResources } from "./resources.ts";

const instructions =
  "A Linux machine of your own: exec runs commands in it, process manages those that keep running. Work in /workspace. A command " +
  "that takes longer than a minute returns a process_id; read on with the process tool instead of running it again.";

export interface ServerContext {
  caller: Caller;
  sandboxes: Sandboxes;
  isolates: Isolates;
  /** The origin of this server as the client sees it. */
  origin: string;
  /** Keeps work alive after the answer, or after the client has gone. */
  detach: (work: Promise<unknown>) => void;
}

export function createServer({ caller, sandboxes, isolates, origin, detach }: ServerContext): McpServer {
  const { resources, completions, prompts } = requirements.mcp;
  const may = (requirement: Requirement) => allows(caller.scopes, requirement);
  const fixedList = { listChanged: false };
  const capabilities = {
    tools: fixedList,
    ...(may(resources) ? { resources: fixedList } : {}),
    ...(may(completions) ? { completions: {} } : {}),
    ...(may(prompts) ? { prompts: fixedList } : {}),
  };
  const server = new McpServer(
    { name: "sandbox-mcp", title: "Sandbox", version: packageJson.version },
    { instructions, capabilities },
  );
  const arrivedAt = Date.now();
  for (const tool of toolsFor(caller.scopes)) {
    const { name, title, description, hints, output } = tool;
    const schemas = output === null ? {} : { outputSchema: publishSchema(output, "output") };
    server.registerTool(
      name,
      {
        title,
        description,
        annotations: { title, ...hints },
        inputSchema: publishSchema(tool.input, "input"),
        ...schemas,
      },
      (input, context) =>
        callTool(tool, input, {
          sandboxes,
          isolates,
          origin,
          arrivedAt,
          detach,
          signal: context.mcpReq.signal,
          progress: progressSender(context.mcpReq),
        }),
    );
  }
  if (may(resources)) registerResources(server, { sandboxes, origin });
  if (may(prompts)) registerPrompts(server);
  return server;
}

/** The schema for clients. It accepts everything: tools/input.ts validates, because its errors say what to do. */
function publishSchema(schema: Tool["input"], io: "input" | "output"): StandardSchemaWithJSON<Record<string, unknown>> {
  return {
    "~standard": {
      version: 1,
      vendor: "sandbox-mcp",
      jsonSchema: { input: () => jsonSchema(schema, io), output: () => jsonSchema(schema, io) },
      validate: (value) => ({ value: value as Record<string, unknown> }),
    },
  };
}

interface ProgressRequest {
  _meta?: { progressToken?: string | number | undefined } | undefined;
  notify(notification: { method: "notifications/progress"; params: Record<string, unknown> }): Promise<void>;
}

function progressSender(request: ProgressRequest): ToolCall["progress"] {
  const progressToken = request._meta?.progressToken;
  if (progressToken === undefined) return null;
  let progress = 0;
  return (message) =>
    request.notify({ method: "notifications/progress", params: { progressToken, progress: ++progress, message } });
}
