// Files of a sandbox as MCP resources: `sandbox://{sandbox}/{+path}`, as text or bytes. A resource has no place for a notice of
// the sandbox, so that stays due for the next tool call.

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
import { formatNumber } from "../format/format-count.ts";
import { formatFailure } from "../format/format-failure.ts";
import { BYTES, contentType } from "../http/content-type.ts";
import { resolveFileBytes } from "../operations/file-bytes.ts";
import { resolveFileList } from "../operations/file-list.ts";
import { DEFAULT_SANDBOX, SANDBOX_NAME, type Sandboxes } from "../sandbox/sandbox.ts";
import { formatDownload } from "../sandbox/transfer/format-download.ts";
import { readUrlPath } from "../sandbox/transfer/url-path.ts";

export interface ResourcesCall {
  sandboxes: Sandboxes;
  /** The origin of this server as the client sees it. */
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
      description: "path is relative to /workspace, or absolute after a second slash: sandbox://default//var/log/x",
      // A file may change at any moment, and belongs to one caller.
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
  if (!SANDBOX_NAME.test(sandbox) || path === null || path === "")
    throw new ResourceNotFoundError(uri, formatMissing(uri));
  const request = resolveFileBytes({ path }, { maxBytes: limits.resultMaxBytes });
  const { result } = await sandboxes.open(sandbox).call("file-bytes", request);
  if (!result.ok) throw toError(result.failure, uri);
  const contents = toContents(result.value, path);
  if (contents === null) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `${uri} has ${formatNumber(result.value.size)} bytes, too many for one answer. Download it with: ${formatDownload({ origin, sandbox, path })}`,
    );
  }
  return { contents: [{ uri, ...contents }] };
}

const formatMissing = (uri: string): string => `Resource not found: ${uri}`;

function toError(failure: Failure, uri: string): Error {
  const message = `${uri}: ${formatFailure(failure)}`;
  switch (failure.reason) {
    case "no_such_path":
    case "not_found":
      return new ResourceNotFoundError(uri, `${formatMissing(uri)}. ${formatFailure(failure)}`);
    case "machine_unavailable":
    case "machine_restarted":
      return new ProtocolError(ProtocolErrorCode.InternalError, message);
    default:
      return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  }
}

type Contents = { mimeType: string } & ({ text: string } | { blob: string });

/** Null when the file is too large for one answer. */
function toContents({ size, data }: FileBytesResult, path: string): Contents | null {
  if (size > limits.resultMaxBytes) return null;
  const type = contentType(path);
  const text = decodeText(data);
  if (text !== null && JSON.stringify(text).length <= limits.resultMaxBytes) {
    return { mimeType: type === BYTES ? "text/plain; charset=utf-8" : type, text };
  }
  return data.length <= limits.resultMaxBytes ? { mimeType: type, blob: data } : null;
}

/** Null when the bytes are not text in UTF-8. */
function decodeText(base64: string): string | null {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

/** The paths that begin with `value`; that of a directory ends with a slash. */
async function completePath(sandboxes: Sandboxes, sandbox: string, value: string): Promise<string[]> {
  const slash = value.lastIndexOf("/") + 1;
  const directory = value.slice(0, slash);
  if (!SANDBOX_NAME.test(sandbox)) return [];
  const entries = limits.fileListEntries;
  const request = resolveFileList(
    { path: directory === "" ? "." : directory, no_ignore: true },
    { depth: 1, entries, innerEntries: entries },
  );
  const { result } = await sandboxes.open(sandbox).call("file-list", request);
  if (!result.ok) return [];
  return result.value.entries
    .map(({ name, kind }) => `${directory}${name}${kind === "directory" ? "/" : ""}`)
    .filter((path) => path.startsWith(value));
}
