// Puts an end after a body that only a whole one gets: a stream that breaks on its way through RPC ends as if it were whole.

/** The same bytes and then `end`. Piped by the platform itself: one chunk after another through JavaScript took ten times as long. */
export function withEnd(body: ReadableStream<Uint8Array> | null, end: string): ReadableStream<Uint8Array> {
  const { readable, writable } = new IdentityTransformStream();
  void pipe(body, writable, new TextEncoder().encode(end));
  return readable;
}

/** A broken body, or a reader that is gone, leaves it without its end; whoever reads or writes learns of it there. */
async function pipe(
  body: ReadableStream<Uint8Array> | null,
  writable: WritableStream<Uint8Array>,
  end: Uint8Array,
): Promise<void> {
  try {
    await body?.pipeTo(writable, { preventClose: true });
    const writer = writable.getWriter();
    await writer.write(end);
    await writer.close();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
}
