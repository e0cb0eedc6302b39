// GET of a file: the whole file or a range, or no body when the client already has this version.

import type { FileHandle } from "node:fs/promises";
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { type Result, succeed } from "../../../src/contract/result.ts";
import { type OpenedFile, openRegular } from "../file/open-regular.ts";
import { realTarget } from "../file/real-path.ts";
import { asFailure } from "../file/system-failure.ts";
import { parseRange } from "./byte-range.ts";
import { entityTag, isUnchanged, satisfiesIfMatch } from "./entity-tag.ts";

export function sendFile(path: string, request: IncomingMessage, response: ServerResponse): Promise<Result<null>> {
  return asFailure(path, async () => {
    const opened = await openRegular(path, await realTarget(path));
    if (!opened.ok) return opened;
    await using file = opened.value;
    await answer(file, request, response);
    return succeed(null);
  });
}

async function answer(file: OpenedFile, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { headers } = request;
  const tag = entityTag(file.version);
  const common = {
    etag: tag,
    "last-modified": new Date(Number(file.version.mtimeNs / 1_000_000n)).toUTCString(),
    "accept-ranges": "bytes",
  };
  if (!satisfiesIfMatch(headers, tag)) return empty(response, 412, common);
  if (isUnchanged(headers, tag)) return empty(response, 304, common);
  // Files in /proc report a size of 0, and are read until they end.
  if (file.size === 0) return sendUnsized(file.handle, response, common);
  const wanted = headers["if-range"] === undefined || headers["if-range"] === tag ? headers.range : undefined;
  const range = parseRange(wanted, file.size);
  if (range === "unsatisfiable") return empty(response, 416, { ...common, "content-range": `bytes */${file.size}` });
  const { first, last } = range ?? { first: 0, last: file.size - 1 };
  const partial = range === null ? {} : { "content-range": `bytes ${first}-${last}/${file.size}` };
  const status = range === null ? 200 : 206;
  response.writeHead(status, { ...common, ...partial, "content-length": last - first + 1 });
  await stream(file.handle, { start: first, end: last }, response);
}

/** The connection is closed: workerd 1.20261117 breaks the next request on a connection after an answer without a body. */
function empty(response: ServerResponse, status: number, headers: OutgoingHttpHeaders): void {
  response.writeHead(status, { ...headers, "content-length": 0, connection: "close" }).end();
}

async function sendUnsized(handle: FileHandle, response: ServerResponse, headers: OutgoingHttpHeaders): Promise<void> {
  const { bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, 0);
  if (bytesRead === 0) return empty(response, 200, headers);
  response.writeHead(200, headers);
  await stream(handle, { start: 0 }, response);
}

/** Ends when the client disconnects. When the file has become shorter, the client gets a broken answer. */
async function stream(
  handle: FileHandle,
  range: { start: number; end?: number },
  response: ServerResponse,
): Promise<void> {
  try {
    await pipeline(handle.createReadStream({ ...range, autoClose: false, highWaterMark: CHUNK_BYTES }), response);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    response.destroy();
  }
}

const CHUNK_BYTES = 256 * 1024;
