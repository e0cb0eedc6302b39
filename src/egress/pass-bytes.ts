// Moves a stream through a function in large pieces. A TransformStream would be woken for each 4 KB, and cost ten times more.

import { GatheredWrites } from "./gathered-writes.ts";

interface Passing {
  /** What is passed on of a piece. */
  pass(chunk: Uint8Array): Uint8Array;
  /** What is left at the end. */
  rest?(): Uint8Array;
  /** The stream that is read broke: what is passed on is not the whole. */
  broke?(error: unknown): void;
  /** Once, however it ends. */
  end?(): void;
}

const PIECE_BYTES = 64 * 1024;

export function passBytes(
  body: ReadableStream<Uint8Array>,
  passing: Passing,
  length?: number,
): ReadableStream<Uint8Array> {
  const { readable, writable } = length === undefined ? new IdentityTransformStream() : new FixedLengthStream(length);
  void move(body, writable, passing);
  return readable;
}

async function move(
  body: ReadableStream<Uint8Array>,
  writable: WritableStream<ArrayBuffer | ArrayBufferView>,
  { pass, rest, broke, end }: Passing,
): Promise<void> {
  const reader = body.getReader({ mode: "byob" });
  const writer = writable.getWriter();
  const writes = new GatheredWrites(writer);
  try {
    for (;;) {
      const { done, value } = await reader.read(new Uint8Array(PIECE_BYTES)).catch((error: unknown) => {
        broke?.(error);
        throw error;
      });
      if (done) break;
      await writes.write(pass(value));
    }
    await writes.write(rest?.() ?? new Uint8Array());
    await writes.end();
    await writer.close();
  } catch (error) {
    // Whichever side broke, the other learns of it.
    await Promise.allSettled([reader.cancel(error), writer.abort(error)]);
  } finally {
    end?.();
  }
}
