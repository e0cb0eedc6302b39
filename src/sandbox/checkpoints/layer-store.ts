// Stores the objects of layers in R2. A fork uses the layers of its source, so an object is deleted when the last sandbox that
// uses it releases it. The owner writes a mark when it releases a layer; every other sandbox has a mark until it does. Each
// updates its own mark before it reads the others'.

import type { LayerRow } from "./checkpoint-index.ts";
import type { ObjectStore } from "./object-store.ts";

/** The object store did not respond, or did not store the bytes that it was sent. */
export class ObjectStoreFault extends Error {
  override name = "ObjectStoreFault";
}

export class LayerStore {
  readonly #objects: ObjectStore;
  /** The id of the sandbox's Durable Object. */
  readonly #owner: string;

  constructor(objects: ObjectStore, owner: string) {
    this.#objects = objects;
    this.#owner = owner;
  }

  newKey(layer: string): string {
    return `layers/${this.#owner}/${layer}`;
  }

  /** Rejects with ObjectStoreFault and stores nothing if `body` is incomplete or does not have the hash. */
  async put({ key, bytes, sha256 }: LayerRow, body: ReadableStream): Promise<void> {
    const stored = await asStoreFault(this.#objects.put(key, body, { sha256 }));
    if (stored.size === bytes) return;
    await asStoreFault(this.#objects.delete(key));
    throw new ObjectStoreFault(`${stored.size} bytes were stored instead of ${bytes}`);
  }

  /** Resolves to null when the object does not exist or has another length. */
  async get({ key, bytes }: LayerRow): Promise<ReadableStream | null> {
    const object = await asStoreFault(this.#objects.get(key));
    if (object === null) return null;
    if (object.size === bytes) return object.body;
    await object.body.cancel();
    return null;
  }

  /** Resolves to null when the object does not exist. */
  async getManifest({ key, manifest_bytes: length }: LayerRow): Promise<ReadableStream | null> {
    return (await asStoreFault(this.#objects.get(key, { range: { offset: 0, length } })))?.body ?? null;
  }

  /** Marks a layer as needed by another sandbox, which learns of it afterwards and releases it with the same mark. */
  async share(layer: LayerRow, mark: string): Promise<void> {
    await asStoreFault(this.#objects.put(`${referrers(layer)}${mark}`, ""));
  }

  async unshare(layer: LayerRow, mark: string): Promise<void> {
    await asStoreFault(this.#objects.delete(`${referrers(layer)}${mark}`));
  }

  /** Releases this sandbox's reference. Resolves to true when the object has been deleted. */
  async release(layer: LayerRow): Promise<boolean> {
    if (layer.mark !== null) await this.unshare(layer, layer.mark);
    else if (layer.shared === 1) await asStoreFault(this.#objects.put(abandoned(layer), ""));
    if (layer.shared === 1 && (await this.#isReferredTo(layer, layer.mark === null))) return false;
    await asStoreFault(this.#objects.delete([layer.key, abandoned(layer)]));
    return true;
  }

  async #isReferredTo(layer: LayerRow, ownerGaveUp: boolean): Promise<boolean> {
    const { objects } = await asStoreFault(this.#objects.list({ prefix: referrers(layer), limit: 1 }));
    if (objects.length > 0) return true;
    return !ownerGaveUp && (await asStoreFault(this.#objects.head(abandoned(layer)))) === null;
  }
}

/** Wraps a fault of the object store in a class of its own, so that callers can tell it from a bug. */
async function asStoreFault<Value>(call: Promise<Value>): Promise<Value> {
  try {
    return await call;
  } catch (error) {
    throw new ObjectStoreFault("The object store failed", { cause: error });
  }
}

const referrers = ({ id }: LayerRow): string => `referrers/${id}/`;
const abandoned = ({ id }: LayerRow): string => `abandoned/${id}`;
