// How many bytes a body has. A length that is announced is believed, so that the runtime moves the bytes without waking any
// code of ours; else they are counted as they pass.

import { announcedBytes } from "./announced-bytes.ts";
import { passBytes } from "./pass-bytes.ts";

interface CountedBody {
  body: ReadableStream<Uint8Array> | null;
  /** So far. */
  bytes(): number;
}

interface CountEvents {
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
  const announced = body === null ? 0 : announcedBytes(headers);
  if (body === null || announced !== null) {
    ended(announced ?? 0);
    return { body, bytes: () => announced ?? 0 };
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
