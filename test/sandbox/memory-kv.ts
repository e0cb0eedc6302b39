// Key-value storage in memory, with the interface of a Durable Object's. Values are copied, as there.

import type { KeyValues } from "../../src/sandbox/storage/key-values.ts";

export class MemoryKv implements KeyValues {
  readonly #values = new Map<string, unknown>();

  get<Value>(key: string): Value | undefined {
    return structuredClone(this.#values.get(key)) as Value | undefined;
  }

  put<Value>(key: string, value: Value): void {
    this.#values.set(key, structuredClone(value));
  }

  delete(key: string): boolean {
    return this.#values.delete(key);
  }

  keys(): string[] {
    return [...this.#values.keys()].sort();
  }
}
