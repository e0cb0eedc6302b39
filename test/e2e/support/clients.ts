// Real MCP clients of both eras, connected to a server.

import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

export const eras = ["2026", "2025"] as const;
export type Era = (typeof eras)[number];

export interface CallOptions {
  signal?: AbortSignal;
  onprogress?: (progress: { message?: string | undefined }) => void;
  timeout?: number;
}

export interface ToolResult {
  text: string;
  structured: Record<string, unknown> | undefined;
  isError: boolean;
}

export interface McpClient {
  call(tool: string, input: Record<string, unknown>, options?: CallOptions): Promise<ToolResult>;
  listTools(): Promise<{ name: string; [key: string]: unknown }[]>;
  close(): Promise<void>;
}

export interface Endpoint {
  url: string;
  key: string;
}

export async function connect(era: Era, { url, key }: Endpoint): Promise<McpClient> {
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  const info = { name: "test", version: "1" };
  if (era === "2025") {
    const client = new LegacyClient(info);
    // The types of the SDK do not satisfy exactOptionalPropertyTypes.
    await client.connect(new LegacyTransport(new URL(url), { requestInit }) as Parameters<typeof client.connect>[0]);
    return {
      call: async (name, input, options) =>
        toResult(await client.callTool({ name, arguments: input }, undefined, options)),
      listTools: async () => (await client.listTools()).tools,
      close: () => client.close(),
    };
  }
  const client = new ModernClient(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new ModernTransport(new URL(url), { requestInit }));
  return {
    call: async (name, input, options) => toResult(await client.callTool({ name, arguments: input }, options)),
    listTools: async () => (await client.listTools()).tools,
    close: () => client.close(),
  };
}

function toResult(raw: object): ToolResult {
  const content: unknown[] = "content" in raw && Array.isArray(raw.content) ? raw.content : [];
  const structured = "structuredContent" in raw ? raw.structuredContent : undefined;
  return {
    text: content.map(textOf).join("\n"),
    structured: typeof structured === "object" && structured !== null ? { ...structured } : undefined,
    isError: "isError" in raw && raw.isError === true,
  };
}

const textOf = (block: unknown): string =>
  typeof block === "object" && block !== null && "text" in block && typeof block.text === "string" ? block.text : "";
