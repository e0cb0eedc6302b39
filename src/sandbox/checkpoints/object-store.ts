// The object store for the bytes of checkpoints: the part of an R2 bucket that this code uses. Every method may reject.

export interface ObjectStore {
  /** Stores nothing if a hash is given and the bytes do not match it. */
  put(key: string, value: ReadableStream | string, options?: { sha256: string }): Promise<{ size: number }>;
  /** Resolves to null when there is no such object. `size` is that of the whole object, even if a range was requested. */
  get(
    key: string,
    options?: { range: { offset: number; length: number } },
  ): Promise<{ size: number; body: ReadableStream } | null>;
  head(key: string): Promise<object | null>;
  delete(keys: string | string[]): Promise<void>;
  list(options: { prefix: string; limit: number }): Promise<{ objects: readonly unknown[] }>;
}
