// The Durable Object of one principal. Its methods delegate to Account.

import { DurableObject } from "cloudflare:workers";
import type { Env } from "../config/env.ts";
import { resolveQuotas } from "../config/settings.ts";
import type { Result } from "../contract/result.ts";
import type { SandboxStatus } from "../sandbox/admin-actions.ts";
import { migrate } from "../sandbox/storage/migrations.ts";
import { Account } from "./account.ts";
import type { AccountRpc } from "./account-rpc.ts";
import { ACCOUNT_MIGRATIONS, SandboxTable } from "./sandbox-table.ts";

export class AccountObject extends DurableObject<Env> implements AccountRpc {
  readonly #account: Account;

  constructor(ctx: DurableObjectState<object>, env: Env) {
    super(ctx, env);
    if (ctx.id.name === undefined) throw new Error("This account was reached without its name");
    migrate(ctx.storage, ACCOUNT_MIGRATIONS);
    const table = new SandboxTable(ctx.storage.sql);
    this.#account = new Account({ principal: ctx.id.name, table, sandboxes: env.SANDBOX, quotas: resolveQuotas(env) });
  }

  async register(name: string): Promise<Result<null>> {
    return this.#account.register(name);
  }

  admit(name: string): Promise<Result<null>> {
    return this.#account.admit(name);
  }

  async report(status: unknown): Promise<void> {
    this.#account.report(status);
  }

  list(): Promise<SandboxStatus[]> {
    return this.#account.list();
  }

  async unregister(name: string): Promise<void> {
    this.#account.unregister(name);
  }
}
