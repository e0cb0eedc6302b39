// Moves a stream through a function in large pieces. A TransformStream would be woken for each 4 KB, and cost ten times more.

export interface Passing {
  /** What is passed on of a piece; it is not kept. */
  pass(chunk: Uint8Array): Uint8Array;
  /** What is left at the end. */
  rest?(): Uint8Array;
  /** The stream that is read broke: what is passed on is not the whole. */
  broke?(error: unknown): void;
  /** Once, however it ends. */
  end?(): void;
}

const PIECE_BYTES = 256 * 1024;

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
  try {
    // Two pieces of memory: one is read into while the other is written from.
    let [next, busy] = [new ArrayBuffer(PIECE_BYTES), new ArrayBuffer(PIECE_BYTES)];
    let written: Promise<unknown> = Promise.resolve();
    for (;;) {
      const { done, value } = await reader.read(new Uint8Array(next)).catch((error: unknown) => {
        broke?.(error);
        throw error;
      });
      await written;
      if (done) break;
      const piece = pass(value);
      written = piece.length > 0 ? writer.write(piece) : written;
      // It is awaited with the next piece, which may be long in coming.
      written.catch(() => undefined);
      [next, busy] = [busy, value.buffer];
    }
    const left = rest?.();
    if (left !== undefined && left.length > 0) await writer.write(left);
    await writer.close();
  } catch (error) {
    // Whichever side broke, the other learns of it.
    await Promise.allSettled([reader.cancel(error), writer.abort(error)]);
  } finally {
    end?.();
  }
}
