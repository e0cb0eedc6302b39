// The small facts that a sandbox keeps about itself, beside its tables: each under one key of its storage.

export class Kept {
  readonly #storage: DurableObjectStorage;
  readonly #id: DurableObjectId;

  constructor({ storage, id }: DurableObjectState<object>) {
    this.#storage = storage;
    this.#id = id;
  }

  /** Of the Durable Object. An alarm may come without it. */
  get objectName(): string {
    const name = this.#id.name ?? this.#storage.kv.get<string>("object_name");
    if (name === undefined) throw new Error("This sandbox was reached without its name");
    return name;
  }

  get bootId(): string | null {
    return this.#storage.kv.get<string>("boot_id") ?? null;
  }

  set bootId(id: string) {
    this.#storage.kv.put("boot_id", id);
  }

  /** Epoch milliseconds; null while the sandbox does not exist. */
  get createdAt(): number | null {
    return this.#storage.kv.get<number>("created_at") ?? null;
  }

  markCreated(): void {
    if (this.createdAt !== null) return;
    this.#storage.kv.put("created_at", Date.now());
    this.#storage.kv.put("object_name", this.objectName);
  }

  get usedAt(): number | null {
    return this.#storage.kv.get<number>("used_at") ?? null;
  }

  set usedAt(time: number) {
    this.#storage.kv.put("used_at", time);
  }

  get diskBytes(): number | null {
    return this.#storage.kv.get<number>("disk_bytes") ?? null;
  }

  set diskBytes(bytes: number) {
    if (bytes !== this.diskBytes) this.#storage.kv.put("disk_bytes", bytes);
  }

  /** Everything but checkpoints, which are asked about separately. */
  forget(): void {
    for (const key of ["boot_id", "created_at", "used_at", "disk_bytes"]) this.#storage.kv.delete(key);
    for (const table of ["processes", "state", "previews"]) this.#storage.sql.exec(`DELETE FROM ${table}`);
  }
}
