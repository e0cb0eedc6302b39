// Where the bytes of checkpoints are stored: the part of an R2 bucket that is used. Every method may reject.

export interface ObjectStore {
  /** Stores nothing when the hash is given and the bytes have another one. */
  put(key: string, value: ReadableStream | string, options?: { sha256: string }): Promise<{ size: number }>;
  /** Null when there is no such object. `size` is that of the whole object, also where a range is asked for. */
  get(
    key: string,
    options?: { range: { offset: number; length: number } },
  ): Promise<{ size: number; body: ReadableStream } | null>;
  head(key: string): Promise<object | null>;
  delete(keys: string | string[]): Promise<void>;
  list(options: { prefix: string; limit: number }): Promise<{ objects: readonly unknown[] }>;
}
