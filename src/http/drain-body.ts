// Reads the rest of a request that is refused before its body has been read. The runtime closes the connection of such a request soon
// after the response, and a client that is still sending then reports a broken connection instead of the response.

import { limits } from "../contract/limits.ts";

/** Resolves when the body has been read, when a limit is reached, or when the client has disconnected. Never rejects. */
export function drainBody(body: ReadableStream<Uint8Array> | null): Promise<void> {
  if (body === null || body.locked) return Promise.resolve();
  return Promise.race([readBounded(body), scheduler.wait(limits.unreadBodyMaxMs)]);
}

async function readBounded(body: ReadableStream<Uint8Array>): Promise<void> {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > limits.unreadBodyMaxBytes) return;
    }
  } catch {
    // The client has disconnected, or the body has already been used.
  }
}
