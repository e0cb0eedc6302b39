// The Durable Object of one preview, named by the hash of its token: says which sandbox the token leads to, and nothing
// more. The sandbox itself decides whether the preview still holds, so what is said here may be remembered for ever.

import { DurableObject } from "cloudflare:workers";
import type { Env } from "../../config/env.ts";

export class PreviewObject extends DurableObject<Env> {
  /** `sandbox` is the name of its Durable Object. */
  async assign(sandbox: string, expiresAt: number): Promise<void> {
    this.ctx.storage.kv.put("sandbox", sandbox);
    await this.ctx.storage.setAlarm(expiresAt);
  }

  find(): string | null {
    return this.ctx.storage.kv.get<string>("sandbox") ?? null;
  }

  async revoke(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  override async alarm(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }
}

/** Without the token itself in the name, a list of objects opens nothing. */
export async function previewObject(
  namespace: DurableObjectNamespace<PreviewObject>,
  token: string,
): Promise<DurableObjectStub<PreviewObject>> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
  return namespace.getByName(Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join(""));
}
