// The Durable Object of one preview, named by the hash of its token: stores which sandbox the token leads to. The sandbox decides
// whether the preview is still valid, so callers may cache the result for ever.

import { DurableObject } from "cloudflare:workers";
import type { Env } from "../../config/env.ts";
import { type Migrations, migrate, refuseLaterVersion } from "../storage/migrations.ts";
import type { PreviewRpc } from "./preview-rpc.ts";

/** There are no tables; the version covers the keys. */
const PREVIEW_MIGRATIONS: Migrations = [() => undefined];

export class PreviewObject extends DurableObject<Env> implements PreviewRpc {
  constructor(ctx: DurableObjectState<object>, env: Env) {
    super(ctx, env);
    // Nothing is written before a token is assigned, because anyone can reach an object with an invented token.
    refuseLaterVersion(ctx.storage.kv, PREVIEW_MIGRATIONS);
  }

  async assign(sandbox: string, expiresAt: number): Promise<void> {
    migrate(this.ctx.storage, PREVIEW_MIGRATIONS);
    this.ctx.storage.kv.put("sandbox", sandbox);
    await this.ctx.storage.setAlarm(expiresAt);
  }

  async find(): Promise<string | null> {
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
