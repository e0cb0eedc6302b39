// Whole files over HTTP, streamed: GET, HEAD and PUT /files?path=. A failure is its JSON under the status FAILED.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Failure } from "../../../src/contract/failure.ts";
import { FAILED_TRANSFER_STATUS, FILES_PATH } from "../../../src/contract/transfer.ts";
import { type FilePlace, namePath } from "../file/resolve-path.ts";
import { receiveFile } from "./receive-file.ts";
import { sendFile } from "./send-file.ts";

export const isTransfer = (url: string): boolean => url.startsWith(`${FILES_PATH}?`);

export async function transfer(request: IncomingMessage, response: ServerResponse, place: FilePlace): Promise<void> {
  const { method = "", url = "" } = request;
  const text = new URL(url, "http://runner").searchParams.get("path") ?? "";
  const named = namePath(text, place);
  if (!named.ok) return refuse(request, response, named.failure);
  const done =
    method === "PUT"
      ? await receiveFile(named.value, request, response)
      : await sendFile(named.value.absolute, request, response);
  if (!done.ok) refuse(request, response, done.failure);
}

/** What is still to come of the body is read and dropped, so that the client gets its answer. */
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
