// Appends an end marker to a body. RPC ends a stream that broke on its way as if it were complete; the marker shows whether it was.

/** The same bytes, then `end`. The platform pipes them itself, because chunk by chunk in JavaScript took ten times as long. */
export function withEnd(body: ReadableStream<Uint8Array> | null, end: string): ReadableStream<Uint8Array> {
  const { readable, writable } = new IdentityTransformStream();
  void pipe(body, writable, new TextEncoder().encode(end));
  return readable;
}

/** A body that fails, or a reader that goes away, leaves the stream without the marker. Both see the fault in their own end of it. */
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
