// Reads the rest of a request that is refused before its body was read. A client that is still sending does not read the answer, and
// the runtime closes the connection soon after it: without this, most clients would report a broken connection instead.

import { limits } from "../contract/limits.ts";

/** Resolves when there is nothing to read, when a limit is met, or when the client is gone. Never rejects. */
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
    // The client is gone, or something else has read the body.
  }
}
