// The single values stored about a sandbox, each under one key in the storage of its Durable Object.

import type { KeyValues } from "./key-values.ts";

export class SandboxRecord {
  readonly #kv: KeyValues;
  readonly #objectName: string | undefined;

  /** `objectName` is the name of the Durable Object. An object that an alarm wakes may not know it, so it is stored as well. */
  constructor(kv: KeyValues, objectName: string | undefined) {
    this.#kv = kv;
    this.#objectName = objectName;
  }

  get objectName(): string {
    const name = this.#objectName ?? this.#kv.get<string>("object_name");
    if (name === undefined) throw new Error("This sandbox was reached without its name");
    return name;
  }

  /** The boot id of the last machine that came up with its files in place; null before the first one. */
  get bootId(): string | null {
    return this.#kv.get<string>("boot_id") ?? null;
  }

  set bootId(id: string) {
    this.#kv.put("boot_id", id);
  }

  /** Epoch milliseconds; null while the sandbox does not exist. */
  get createdAt(): number | null {
    return this.#kv.get<number>("created_at") ?? null;
  }

  markCreated(): void {
    if (this.createdAt !== null) return;
    this.#kv.put("created_at", Date.now());
    this.#kv.put("object_name", this.objectName);
  }

  /** Epoch milliseconds of the last recorded use; null before the first one. */
  get usedAt(): number | null {
    return this.#kv.get<number>("used_at") ?? null;
  }

  set usedAt(time: number) {
    this.#kv.put("used_at", time);
  }

  /** The size of the files when last measured; null before the first time. */
  get diskBytes(): number | null {
    return this.#kv.get<number>("disk_bytes") ?? null;
  }

  set diskBytes(bytes: number) {
    if (bytes !== this.diskBytes) this.#kv.put("disk_bytes", bytes);
  }

  /** The name of the object stays, since checkpoints may still be asked for under it. */
  clear(): void {
    for (const key of ["boot_id", "created_at", "used_at", "disk_bytes"]) this.#kv.delete(key);
  }
}
