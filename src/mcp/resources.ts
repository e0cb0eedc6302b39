// Files of a sandbox as MCP resources: `sandbox://{sandbox}/{+path}`, text or bytes.

import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import type { Failure } from "../contract/failure.ts";
import type { FileBytesResult } from "../contract/file-bytes.ts";
import { limits } from "../contract/limits.ts";
import { formatFailure } from "../format/format-failure.ts";
import { BYTES, contentType } from "../http/content-type.ts";
import { DEFAULT_SANDBOX, SANDBOX_NAME, type Sandboxes } from "../sandbox/sandbox.ts";
import { downloadLine } from "../sandbox/transfer/transfer-url.ts";
import { readUrlPath } from "../sandbox/transfer/url-path.ts";

export interface ResourcesCall {
  sandboxes: Sandboxes;
  /** Of this server, as the client sees it. */
  origin: string;
}

export function registerResources(server: McpServer, call: ResourcesCall): void {
  const complete = {
    sandbox: (value: string) => [DEFAULT_SANDBOX].filter((name) => name.startsWith(value)),
    path: (value: string, context?: { arguments?: Record<string, string> }) =>
      completePath(call.sandboxes, context?.arguments?.["sandbox"] ?? DEFAULT_SANDBOX, value),
  };
  server.registerResource(
    "file",
    new ResourceTemplate("sandbox://{sandbox}/{+path}", { list: undefined, complete }),
    {
      title: "A file in a sandbox",
      description: "path is below /workspace, or absolute with a second slash: sandbox://default//var/log/x",
      // It may change at any moment, and is the caller's alone.
      cacheHint: { ttlMs: 0, cacheScope: "private" },
    },
    (uri, variables) => readFile(uri.href, variables, call),
  );
}

async function readFile(
  uri: string,
  variables: Record<string, string | string[]>,
  { sandboxes, origin }: ResourcesCall,
): Promise<ReadResourceResult> {
  const sandbox = String(variables["sandbox"]);
  const path = readUrlPath(String(variables["path"]));
  if (!SANDBOX_NAME.test(sandbox) || path === null || path === "") throw new ResourceNotFoundError(uri, notFound(uri));
  const { result } = await sandboxes
    .open(sandbox)
    .call("file-bytes", { path, offset: 0, length: limits.resultMaxBytes });
  if (!result.ok) throw errorOf(result.failure, uri);
  const contents = contentsOf(result.value, path);
  if (contents === null) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `${uri} has ${result.value.size} bytes, too many for one answer. Fetch it with: ${downloadLine({ origin, sandbox, path })}`,
    );
  }
  return { contents: [{ uri, ...contents }] };
}

const notFound = (uri: string): string => `Resource not found: ${uri}`;

function errorOf(failure: Failure, uri: string): Error {
  const words = `${uri}: ${formatFailure(failure)}`;
  switch (failure.reason) {
    case "no_such_path":
    case "not_found":
      return new ResourceNotFoundError(uri, `${notFound(uri)}. ${formatFailure(failure)}`);
    case "machine_unavailable":
    case "machine_restarted":
      return new ProtocolError(ProtocolErrorCode.InternalError, words);
    default:
      return new ProtocolError(ProtocolErrorCode.InvalidParams, words);
  }
}

type Contents = { mimeType: string } & ({ text: string } | { blob: string });

/** Null for what is too large for one answer. */
function contentsOf({ size, data }: FileBytesResult, path: string): Contents | null {
  if (size > limits.resultMaxBytes) return null;
  const type = contentType(path);
  const text = textOf(data);
  if (text !== null && JSON.stringify(text).length <= limits.resultMaxBytes) {
    return { mimeType: type === BYTES ? "text/plain; charset=utf-8" : type, text };
  }
  return data.length <= limits.resultMaxBytes ? { mimeType: type, blob: data } : null;
}

/** Null for what is no text in UTF-8. */
function textOf(base64: string): string | null {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

/** What a directory has that begins so; a directory's name ends with a slash. */
async function completePath(sandboxes: Sandboxes, sandbox: string, value: string): Promise<string[]> {
  const slash = value.lastIndexOf("/") + 1;
  const directory = value.slice(0, slash);
  if (!SANDBOX_NAME.test(sandbox)) return [];
  const { result } = await sandboxes.open(sandbox).call("file-list", {
    path: directory === "" ? "." : directory,
    depth: 1,
    no_ignore: true,
    offset: 0,
    limit: limits.fileListEntries,
  });
  if (!result.ok) return [];
  return result.value.entries
    .map(({ name, kind }) => `${directory}${name}${kind === "directory" ? "/" : ""}`)
    .filter((path) => path.startsWith(value));
}
