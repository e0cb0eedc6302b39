// The objects of layers in R2. A fork stands on its parent's, so an object goes only with the last sandbox that refers to it: the owner
// by a mark when it has let go, the others by a mark while they have not. Each writes its own mark before it reads the others'.

import type { LayerRow } from "./checkpoint-index.ts";

export class LayerStore {
  readonly #bucket: R2Bucket;
  /** The id of the sandbox's Durable Object. */
  readonly #owner: string;

  constructor(bucket: R2Bucket, owner: string) {
    this.#bucket = bucket;
    this.#owner = owner;
  }

  newKey(layer: string): string {
    return `layers/${this.#owner}/${layer}`;
  }

  /** Rejects, with nothing stored, unless all of `body` arrived and has the hash. */
  async put({ key, bytes, sha256 }: LayerRow, body: ReadableStream): Promise<void> {
    const stored = await this.#bucket.put(key, body, { sha256 });
    if (stored.size === bytes) return;
    await this.#bucket.delete(key);
    throw new Error(`${stored.size} bytes were stored instead of ${bytes}`);
  }

  /** Null where the object is gone or has another length. */
  async get({ key, bytes }: LayerRow): Promise<ReadableStream | null> {
    const object = await this.#bucket.get(key);
    if (object === null) return null;
    if (object.size === bytes) return object.body;
    await object.body.cancel();
    return null;
  }

  async getManifest({ key, manifest_bytes: length }: LayerRow): Promise<ReadableStream | null> {
    return (await this.#bucket.get(key, { range: { offset: 0, length } }))?.body ?? null;
  }

  /** Before another sandbox is told of it; that one releases it by the same mark. */
  async share(layer: LayerRow, mark: string): Promise<void> {
    await this.#bucket.put(`${referrers(layer)}${mark}`, "");
  }

  async unshare(layer: LayerRow, mark: string): Promise<void> {
    await this.#bucket.delete(`${referrers(layer)}${mark}`);
  }

  /** This sandbox refers to it no more. True where the object is gone. */
  async release(layer: LayerRow): Promise<boolean> {
    if (layer.mark !== null) await this.unshare(layer, layer.mark);
    else if (layer.shared === 1) await this.#bucket.put(abandoned(layer), "");
    if (layer.shared === 1 && (await this.#isReferredTo(layer, layer.mark === null))) return false;
    await this.#bucket.delete([layer.key, abandoned(layer)]);
    return true;
  }

  async #isReferredTo(layer: LayerRow, ownerLetGo: boolean): Promise<boolean> {
    const { objects } = await this.#bucket.list({ prefix: referrers(layer), limit: 1 });
    if (objects.length > 0) return true;
    return !ownerLetGo && (await this.#bucket.head(abandoned(layer))) === null;
  }
}

const referrers = ({ id }: LayerRow): string => `referrers/${id}/`;
const abandoned = ({ id }: LayerRow): string => `abandoned/${id}`;
