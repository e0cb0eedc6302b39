// Counts the bytes of a body. A declared length is taken as it is, so that the runtime moves the bytes without running any of
// our code; without one, the bytes are counted as they pass.

import { parseContentLength } from "./content-length.ts";
import { transformBytes } from "./transform-bytes.ts";

interface CountedBody {
  body: ReadableStream<Uint8Array> | null;
  /** The bytes counted so far; the declared length, if there is one. */
  bytes(): number;
}

interface CountEvents {
  /** Called at once for a body of declared length. */
  onEnd?(bytes: number): void;
  /** Never called for a body of declared length: there the runtime itself passes the error on. */
  onError?(error: unknown): void;
}

export function countBytes(
  body: ReadableStream<Uint8Array> | null,
  headers: Headers,
  { onEnd = () => undefined, onError = () => undefined }: CountEvents,
): CountedBody {
  const declared = body === null ? 0 : parseContentLength(headers);
  if (body === null || declared !== null) {
    onEnd(declared ?? 0);
    return { body, bytes: () => declared ?? 0 };
  }
  let bytes = 0;
  const counted = transformBytes(body, {
    transform(chunk) {
      bytes += chunk.length;
      return chunk;
    },
    onError,
    onEnd: () => onEnd(bytes),
  });
  return { body: counted, bytes: () => bytes };
}
