// The streams of workerd, for tests of Worker code that they stub with a plain TransformStream.

declare class IdentityTransformStream extends TransformStream<Uint8Array, Uint8Array> {}
declare class FixedLengthStream extends IdentityTransformStream {
  constructor(length: number);
}
