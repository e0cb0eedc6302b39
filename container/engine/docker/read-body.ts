// Reads the body of a request, up to a limit.

import type { IncomingMessage } from "node:http";
import { API_BODY_BYTES } from "../limits.ts";

/** The body as text. Rejects when it is too large. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > API_BODY_BYTES) throw new Error(`Body over ${API_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
