// A whole file between a client and a machine, as a stream. Cloudflare's types stay behind it.

import type { Failure } from "../../contract/failure.ts";
import { FAILED_TRANSFER_STATUS } from "../../contract/transfer.ts";

export interface TransferRequest {
  method: "GET" | "PUT";
  path: string;
  /** The headers of the request that the runner needs. */
  headers: Record<string, string>;
}

/**
 * Starts a machine where none is up. Answers as container/runner/transfer does: a failure is its JSON under the status
 * FAILED_TRANSFER_STATUS. Never rejects for a foreseeable fault. The machine stays awake until the body of the answer has
 * been read or cancelled.
 */
export type FileTransfer = (request: TransferRequest, body: ReadableStream<Uint8Array> | null) => Promise<Response>;

export const failedTransfer = (failure: Failure): Response =>
  Response.json(failure, { status: FAILED_TRANSFER_STATUS });
