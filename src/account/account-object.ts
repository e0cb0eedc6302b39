// The Durable Object of one principal: which sandboxes there are, and how many of them may be awake. It is asked when a
// sandbox is made and when a machine is to start, never by a call to one that is up; what it knows of states is pushed to it,
// may be late, and is corrected whenever it matters.

import { DurableObject } from "cloudflare:workers";
import type { Env } from "../config/env.ts";
import { type Quotas, resolveQuotas } from "../config/settings.ts";
import { fail, type Result, resultOf, succeed } from "../contract/result.ts";
import { careActions, SandboxStatus } from "../sandbox/admin-actions.ts";
import { objectName } from "../sandbox/object-name.ts";
import type { SandboxObject } from "../sandbox/sandbox-object.ts";

type Row = { name: string; awake: number; status: string };

export class AccountObject extends DurableObject<Env> {
  readonly #quotas: Quotas;
  /** One at a time makes room, or two would count on the same place. */
  #makingRoom: Promise<unknown> = Promise.resolve();

  constructor(ctx: DurableObjectState<object>, env: Env) {
    super(ctx, env);
    this.#quotas = resolveQuotas(env);
    ctx.storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS sandboxes (name TEXT PRIMARY KEY, awake INTEGER NOT NULL, status TEXT NOT NULL)",
    );
  }

  /** Makes a sandbox one of the principal's. */
  enter(name: string): Result<null> {
    if (this.#row(name) !== undefined) return succeed(null);
    if (this.#rows().length >= this.#quotas.sandboxesMax) return tooMany(this.#quotas.sandboxesMax);
    const now = Date.now();
    this.#save({ ...blank, name, created_at: now, last_used_at: now });
    return succeed(null);
  }

  /** A machine is to start: takes a place among those awake, for which an idle one may have to sleep. */
  async admit(name: string): Promise<Result<null>> {
    const entered = this.enter(name);
    if (!entered.ok || this.#takePlace(name)) return entered;
    const result = this.#makingRoom.then(async () => {
      if (this.#takePlace(name)) return succeed(null);
      const busy = await this.#sleepLeastRecentlyUsed(name);
      return this.#takePlace(name) ? succeed(null) : allBusy(this.#quotas.awakeMax, busy);
    });
    this.#makingRoom = result.catch(() => undefined);
    return result;
  }

  /** A sandbox says how it is. One that has left says so in vain. */
  report(status: unknown): void {
    const parsed = SandboxStatus.parse(status);
    const known = this.#row(parsed.name);
    if (known === undefined) return;
    this.#save({ ...parsed, created_at: parsed.created_at ?? statusOf(known).created_at });
  }

  /** All of them, those that should be awake as they themselves say. */
  async list(): Promise<SandboxStatus[]> {
    await Promise.all(
      this.#rows()
        .filter(({ awake }) => awake === 1)
        .map(({ name }) => this.#ask(name, statusFrom)),
    );
    return this.#rows().map(statusOf);
  }

  leave(name: string): void {
    this.ctx.storage.sql.exec("DELETE FROM sandboxes WHERE name = ?", name);
  }

  /** What was last known has to do when a sandbox does not say how it is. */
  async #ask(name: string, how: (sandbox: DurableObjectStub<SandboxObject>) => Promise<unknown>): Promise<void> {
    try {
      this.report(await how(this.env.SANDBOX.getByName(objectName({ principal: this.#principal, name }))));
    } catch (error) {
      console.error(`Sandbox ${name} did not say how it is:`, error);
    }
  }

  #takePlace(name: string): boolean {
    const others = this.#rows().filter((row) => row.awake === 1 && row.name !== name);
    if (others.length >= this.#quotas.awakeMax) return false;
    this.ctx.storage.sql.exec("UPDATE sandboxes SET awake = 1 WHERE name = ?", name);
    return true;
  }

  /** Answers the names of those that were busy, when none could be put to sleep. */
  async #sleepLeastRecentlyUsed(except: string): Promise<string[]> {
    const names = this.#rows()
      .filter((row) => row.awake === 1 && row.name !== except)
      .map(({ name }) => name);
    await Promise.all(names.map((name) => this.#ask(name, (sandbox) => sandbox.glance())));
    const awake = this.#rows()
      .filter(({ name, awake }) => awake === 1 && names.includes(name))
      .toSorted((a, b) => (statusOf(a).last_used_at ?? 0) - (statusOf(b).last_used_at ?? 0));
    // One that turned out to be asleep has made the room.
    if (awake.length < names.length) return [];
    for (const { name } of awake) {
      const sandbox = this.env.SANDBOX.getByName(objectName({ principal: this.#principal, name }));
      if ((await sandbox.sleepIfIdle()) === "asleep") {
        this.ctx.storage.sql.exec("UPDATE sandboxes SET awake = 0 WHERE name = ?", name);
        return [];
      }
    }
    return awake.map(({ name }) => name);
  }

  #save(status: SandboxStatus): void {
    this.ctx.storage.sql.exec(
      "INSERT OR REPLACE INTO sandboxes (name, awake, status) VALUES (?, ?, ?)",
      ...[status.name, status.state === "asleep" ? 0 : 1, JSON.stringify(status)],
    );
  }

  #rows(): Row[] {
    return this.ctx.storage.sql.exec<Row>("SELECT name, awake, status FROM sandboxes ORDER BY name").toArray();
  }

  #row(name: string): Row | undefined {
    return this.#rows().find((row) => row.name === name);
  }

  get #principal(): string {
    if (this.ctx.id.name === undefined) throw new Error("This account was reached without its name");
    return this.ctx.id.name;
  }
}

/** The whole of it, asked of the machine too. */
async function statusFrom(sandbox: DurableObjectStub<SandboxObject>): Promise<unknown> {
  const result = resultOf(careActions.status.value).parse(await sandbox.care("status", {}));
  if (!result.ok) throw new Error(result.failure.reason);
  return result.value;
}

const blank: Omit<SandboxStatus, "name" | "created_at" | "last_used_at"> = {
  state: "asleep",
  disk_bytes: null,
  checkpoint_at: null,
  running_processes: 0,
  previews: [],
};

const statusOf = ({ status }: Row): SandboxStatus => SandboxStatus.parse(JSON.parse(status));

const tooMany = (limit: number): Result<never> =>
  fail({
    reason: "quota_exceeded",
    subject: "sandboxes",
    limit,
    advice:
      'sandbox {action: "list"} shows them; use one of those, or make room with sandbox {action: "destroy", sandbox: "…"}.',
  });

const allBusy = (limit: number, busy: string[]): Result<never> =>
  fail({
    reason: "quota_exceeded",
    subject: "sandboxes awake at once",
    limit,
    advice: `All of these are busy: ${busy.join(", ")}. Wait until one has nothing to do, or stop one with sandbox {action: "stop", sandbox: "…"}.`,
  });
