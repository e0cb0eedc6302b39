// Streams whole files over HTTP: GET and PUT of /files?path=. A failure is sent as JSON with FAILED_TRANSFER_STATUS.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Failure } from "../../../src/contract/failure.ts";
import { FAILED_TRANSFER_STATUS, FILES_PATH } from "../../../src/contract/transfer.ts";
import { type PathRoots, resolvePath } from "../file/resolve-path.ts";
import { receiveFile } from "./receive-file.ts";
import { sendFile } from "./send-file.ts";

export const isTransfer = (url: string): boolean => url.startsWith(`${FILES_PATH}?`);

export async function transfer(request: IncomingMessage, response: ServerResponse, roots: PathRoots): Promise<void> {
  const { method = "", url = "" } = request;
  const text = new URL(url, "http://runner").searchParams.get("path") ?? "";
  const resolved = resolvePath(text, roots);
  if (!resolved.ok) return refuse(request, response, resolved.failure);
  const result =
    method === "PUT"
      ? await receiveFile(resolved.value, request, response)
      : await sendFile(resolved.value.absolute, request, response);
  if (!result.ok) refuse(request, response, result.failure);
}

/** The rest of the body is read and dropped, so that the client gets its answer. */
function refuse(request: IncomingMessage, response: ServerResponse, failure: Failure): void {
  request.resume();
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body = Buffer.from(JSON.stringify(failure));
  response
    .writeHead(FAILED_TRANSFER_STATUS, { "content-type": "application/json", "content-length": body.length })
    .end(body);
}
