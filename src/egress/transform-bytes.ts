// Moves a byte stream through a function in large pieces. A TransformStream would be woken for every 4 KiB, at ten times the
// cost.

import { CoalescingWriter } from "./coalescing-writer.ts";

interface ByteTransform {
  /** Returns the bytes to pass on for this chunk. */
  transform(chunk: Uint8Array): Uint8Array;
  /** Returns bytes to append at the end. */
  flush?(): Uint8Array;
  /** Reading failed, so what was passed on is incomplete. */
  onError?(error: unknown): void;
  /** Called once, after success and failure alike. */
  onEnd?(): void;
}

const CHUNK_BYTES = 64 * 1024;

/** `length` is the exact length of the result in bytes, if it is known. */
export function transformBytes(
  body: ReadableStream<Uint8Array>,
  transform: ByteTransform,
  length?: number,
): ReadableStream<Uint8Array> {
  const { readable, writable } = length === undefined ? new IdentityTransformStream() : new FixedLengthStream(length);
  void pump(body, writable, transform);
  return readable;
}

async function pump(
  body: ReadableStream<Uint8Array>,
  writable: WritableStream<ArrayBuffer | ArrayBufferView>,
  { transform, flush, onError, onEnd }: ByteTransform,
): Promise<void> {
  const reader = body.getReader({ mode: "byob" });
  const writer = writable.getWriter();
  const writes = new CoalescingWriter(writer);
  try {
    for (;;) {
      const { done, value } = await reader.read(new Uint8Array(CHUNK_BYTES)).catch((error: unknown) => {
        onError?.(error);
        throw error;
      });
      if (done) break;
      await writes.write(transform(value));
    }
    await writes.write(flush?.() ?? new Uint8Array());
    await writes.end();
    await writer.close();
  } catch (error) {
    // A failure of either side is passed to the other.
    await Promise.allSettled([reader.cancel(error), writer.abort(error)]);
  } finally {
    onEnd?.();
  }
}
