// Maps a preview's token to its sandbox, with one Durable Object for each token.

import type { PreviewRpc } from "./preview-rpc.ts";

export interface PreviewDirectory {
  /** `sandbox` is the name of the sandbox's Durable Object, `expiresAt` epoch milliseconds. */
  assign(token: string, sandbox: string, expiresAt: number): Promise<void>;
  /** Resolves to the name of the sandbox's Durable Object; null when the token is not assigned. */
  find(token: string): Promise<string | null>;
  revoke(token: string): Promise<void>;
}

/** The part of a Durable Object namespace that this code uses. */
export interface PreviewObjects {
  getByName(name: string): PreviewRpc;
}

export class DurablePreviewDirectory implements PreviewDirectory {
  readonly #namespace: PreviewObjects;

  constructor(namespace: PreviewObjects) {
    this.#namespace = namespace;
  }

  async assign(token: string, sandbox: string, expiresAt: number): Promise<void> {
    await (await this.#objectOf(token)).assign(sandbox, expiresAt);
  }

  async find(token: string): Promise<string | null> {
    return (await this.#objectOf(token)).find();
  }

  async revoke(token: string): Promise<void> {
    await (await this.#objectOf(token)).revoke();
  }

  /** Objects are named by the hash of the token, so that a list of their names gives access to no preview. */
  async #objectOf(token: string): Promise<PreviewRpc> {
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
    const name = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
    return this.#namespace.getByName(name);
  }
}
