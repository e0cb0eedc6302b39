// The MCP endpoint: stateless, one POST per message, for the 2026-07-28 revision and for 2025 clients. There are no sessions, so
// a `mcp-session-id` that a client sends is ignored.

import { createMcpHandler } from "agents/mcp/server";
import { limits } from "../contract/limits.ts";
import { formatNumber } from "../format/format-count.ts";
import { createServer, type ServerContext } from "./server.ts";

export interface McpCall extends ServerContext {
  /** The host names under which this server may be called. */
  hosts: ReadonlySet<string>;
}

export async function answerMcp(request: Request, call: McpCall): Promise<Response> {
  if (request.method !== "POST") {
    return rpcError(405, -32000, "Only POST is supported: this server has no sessions and opens no streams", {
      Allow: "POST, OPTIONS",
    });
  }
  const body = await readJson(request);
  if (body instanceof Response) return body;
  // Revision 2025-06-18 removed batching.
  if (Array.isArray(body.value)) return rpcError(400, -32600, "Send one JSON-RPC message per request, not a batch");
  const handler = createMcpHandler(() => createServer(call), {
    corsOptions: false,
    allowedHostnames: [...call.hosts],
    // The router has checked the origin already, for every route.
    allowedOriginHostnames: "*",
    responseMode: "sse",
    keepAliveMs: limits.keepAliveMs,
    onerror: (error) => console.error(error),
  });
  return handler.fetch(request, { parsedBody: body.value });
}

async function readJson(request: Request): Promise<{ value: unknown } | Response> {
  const tooLarge = () =>
    rpcError(413, -32600, `A request may have at most ${formatNumber(limits.mcpBodyMaxBytes)} bytes`);
  if (Number(request.headers.get("content-length") ?? 0) > limits.mcpBodyMaxBytes) return tooLarge();
  const bytes = await readBounded(request, limits.mcpBodyMaxBytes).catch(() => undefined);
  if (bytes === undefined) return rpcError(400, -32700, "The request broke off before its end; send it again");
  if (bytes === null) return tooLarge();
  try {
    return { value: JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes)) };
  } catch {
    return rpcError(400, -32700, "The request is not valid JSON in UTF-8");
  }
}

async function readBounded(request: Request, limit: number): Promise<Uint8Array | null> {
  if (request.headers.has("content-length")) return new Uint8Array(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let size = 0;
  // The router reads and discards the rest of a body that is too large.
  for await (const chunk of request.body?.values({ preventCancel: true }) ?? []) {
    size += chunk.length;
    if (size > limit) return null;
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

const rpcError = (status: number, code: number, message: string, headers: Record<string, string> = {}): Response =>
  Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status, headers });
