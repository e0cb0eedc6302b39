// Caller → a fresh McpServer with the tools its scopes allow. One is made for each message; nothing is kept between two.

import { McpServer, type StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import packageJson from "../../package.json" with { type: "json" };
import { callTool } from "../../tools/call-tool.ts";
import { toolsFor } from "../../tools/index.ts";
import { jsonSchema } from "../../tools/json-schema.ts";
import type { Tool, ToolCall } from "../../tools/tool.ts";
import type { McpCall } from "./endpoint.ts";
import { registerPrompts } from "./prompts.ts";
import { registerResources } from "./resources.ts";

const instructions =
  "A Linux machine of your own: exec runs commands in it, process looks after those that go on. Work in /workspace. A command that " +
  "takes longer than a minute answers with a process_id; read on with the process tool instead of running it again.";

export function createServer({ caller, sandboxes, isolates, origin, detach }: McpCall): McpServer {
  const reads = caller.scopes.has("sandbox:read");
  const runs = caller.scopes.has("sandbox:exec");
  const unchanging = { listChanged: false };
  const capabilities = {
    tools: unchanging,
    ...(reads ? { resources: unchanging, completions: {} } : {}),
    ...(runs ? { prompts: unchanging } : {}),
  };
  const server = new McpServer(
    { name: "sandbox-mcp", title: "Sandbox", version: packageJson.version },
    { instructions, capabilities },
  );
  const arrivedAt = Date.now();
  for (const tool of toolsFor(caller.scopes)) {
    const { name, title, description, hints, output } = tool;
    const schemas = output === null ? {} : { outputSchema: published(output, "output") };
    server.registerTool(
      name,
      { title, description, annotations: { title, ...hints }, inputSchema: published(tool.input, "input"), ...schemas },
      (input, context) =>
        callTool(tool, input, {
          sandboxes,
          isolates,
          origin,
          arrivedAt,
          detach,
          signal: context.mcpReq.signal,
          progress: progressTo(context.mcpReq),
        }),
    );
  }
  if (reads) registerResources(server, { sandboxes, origin });
  if (runs) registerPrompts(server);
  return server;
}

/** The schema as clients see it. Arguments are checked behind it, where the error can say what to do (tools/input.ts). */
function published(schema: Tool["input"], io: "input" | "output"): StandardSchemaWithJSON<Record<string, unknown>> {
  return {
    "~standard": {
      version: 1,
      vendor: "sandbox-mcp",
      jsonSchema: { input: () => jsonSchema(schema, io), output: () => jsonSchema(schema, io) },
      validate: (value) => ({ value: value as Record<string, unknown> }),
    },
  };
}

interface Progressing {
  _meta?: { progressToken?: string | number | undefined } | undefined;
  notify(notification: { method: "notifications/progress"; params: Record<string, unknown> }): Promise<void>;
}

function progressTo(request: Progressing): ToolCall["progress"] {
  const progressToken = request._meta?.progressToken;
  if (progressToken === undefined) return null;
  let progress = 0;
  return (message) =>
    request.notify({ method: "notifications/progress", params: { progressToken, progress: ++progress, message } });
}
