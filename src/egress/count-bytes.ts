// How many bytes a body has. A length that is announced is believed, so that the runtime moves the bytes without waking any
// code of ours; else they are counted as they pass.

import { passBytes } from "./pass-bytes.ts";

export interface CountedBody {
  body: ReadableStream<Uint8Array> | null;
  /** So far. */
  bytes(): number;
}

export interface CountEvents {
  /** Of a body with a length right away. */
  ended?(bytes: number): void;
  /** Of a body with a length never: the runtime hands the break on. */
  broke?(error: unknown): void;
}

export function countBytes(
  body: ReadableStream<Uint8Array> | null,
  headers: Headers,
  { ended = () => undefined, broke = () => undefined }: CountEvents,
): CountedBody {
  const announced = headers.get("content-length");
  if (body === null || announced !== null) {
    const bytes = body === null ? 0 : Number(announced);
    ended(bytes);
    return { body, bytes: () => bytes };
  }
  let bytes = 0;
  const counted = passBytes(body, {
    pass(chunk) {
      bytes += chunk.length;
      return chunk;
    },
    broke,
    end: () => ended(bytes),
  });
  return { body: counted, bytes: () => bytes };
}
