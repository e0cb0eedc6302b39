// The sandboxes of one principal: which exist, and how many may be awake. It is called when a sandbox is created and before a
// machine starts, never for a call to a machine that is up. Each sandbox reports its status, which may be stale, so it is asked
// for again when it matters.

import { limits } from "../contract/limits.ts";
import { fail, type Result, resultOf, succeed } from "../contract/result.ts";
import { adminActions, SandboxStatus } from "../sandbox/admin-actions.ts";
import { callObject } from "../sandbox/object-call.ts";
import { objectName } from "../sandbox/object-name.ts";
import type { SandboxRpc } from "../sandbox/sandbox-rpc.ts";
import type { Quotas } from "./quotas.ts";
import type { SandboxTable } from "./sandbox-table.ts";

type SandboxStub = Pick<SandboxRpc, "administer" | "cachedStatus" | "sleepIfIdle">;

interface AccountParts {
  principal: string;
  table: SandboxTable;
  sandboxes: { getByName(name: string): SandboxStub };
  quotas: Quotas;
}

export class Account {
  readonly #parts: AccountParts;
  /** Slots are freed one at a time; otherwise two calls would count on the same one. */
  #freeingSlot: Promise<unknown> = Promise.resolve();

  constructor(parts: AccountParts) {
    this.#parts = parts;
  }

  register(name: string): Result<null> {
    const { table, quotas } = this.#parts;
    if (table.find(name) !== null) return succeed(null);
    if (table.list().length >= quotas.sandboxesMax) return tooManySandboxes(quotas.sandboxesMax);
    const now = Date.now();
    table.save({ ...unusedStatus, name, created_at: now, last_used_at: now });
    return succeed(null);
  }

  async admit(name: string): Promise<Result<null>> {
    const registered = this.register(name);
    if (!registered.ok || this.#takeSlot(name)) return registered;
    const result = this.#freeingSlot.then(() => this.#freeSlot(name));
    this.#freeingSlot = result.catch(() => undefined);
    return result;
  }

  report(status: unknown): void {
    const { table } = this.#parts;
    const parsed = SandboxStatus.parse(status);
    const known = table.find(parsed.name);
    if (known === null) return;
    table.save({ ...parsed, created_at: parsed.created_at ?? known.status.created_at });
  }

  async list(): Promise<SandboxStatus[]> {
    await Promise.all(this.#awakeNames().map((name) => this.#refreshFromMachine(name)));
    return this.#parts.table.list().map(({ status }) => status);
  }

  unregister(name: string): void {
    this.#parts.table.remove(name);
  }

  #takeSlot(name: string): boolean {
    const { table, quotas } = this.#parts;
    if (this.#awakeNames().filter((other) => other !== name).length >= quotas.awakeMax) return false;
    table.setAwake(name, true);
    return true;
  }

  async #freeSlot(name: string): Promise<Result<null>> {
    if (this.#takeSlot(name)) return succeed(null);
    const busy = await this.#sleepLeastRecentlyUsed(name);
    return this.#takeSlot(name) ? succeed(null) : allBusy(this.#parts.quotas.awakeMax, busy);
  }

  /** Resolves to the names of the busy sandboxes when none could be put to sleep. */
  async #sleepLeastRecentlyUsed(except: string): Promise<string[]> {
    const { table } = this.#parts;
    const names = this.#awakeNames().filter((name) => name !== except);
    await Promise.all(names.map((name) => this.#refresh(name)));
    const awake = table
      .list()
      .filter(({ isAwake, status }) => isAwake && names.includes(status.name))
      .toSorted((a, b) => (a.status.last_used_at ?? 0) - (b.status.last_used_at ?? 0))
      .map(({ status }) => status.name);
    // A sandbox that turned out to be asleep has freed its slot.
    if (awake.length < names.length) return [];
    for (const name of awake) {
      const asked = callObject(() => this.#sandbox(name).sleepIfIdle({ despiteWork: false }));
      const ended = await within(limits.makeRoomMs, asked);
      if (ended?.ok === true && ended.value === "asleep") {
        table.setAwake(name, false);
        return [];
      }
    }
    return awake;
  }

  /** Asks a sandbox for the status that it knows without its machine. The last known status stays if it does not respond. */
  async #refresh(name: string): Promise<void> {
    const answered = await callObject(() => this.#sandbox(name).cachedStatus());
    if (answered.ok) this.report(answered.value);
  }

  /** Asks for the complete status, which the sandbox gets from its machine. */
  async #refreshFromMachine(name: string): Promise<void> {
    const asked = callObject(() => this.#sandbox(name).administer("status", {}));
    const answered = await within(limits.listedStatusMs, asked);
    if (answered === null) return this.#reportSilence(name);
    if (!answered.ok) return;
    const status = resultOf(adminActions.status.value).parse(answered.value);
    if (status.ok) this.report(status.value);
    else console.error(`Sandbox "${name}" did not report its status:`, status.failure);
  }

  /** It keeps its slot: its machine may be up. */
  #reportSilence(name: string): void {
    const known = this.#parts.table.find(name);
    if (known !== null) this.report({ ...known.status, state: "awake", is_responding: false });
  }

  #awakeNames(): string[] {
    return this.#parts.table
      .list()
      .filter(({ isAwake }) => isAwake)
      .map(({ status }) => status.name);
  }

  #sandbox(name: string): SandboxStub {
    return this.#parts.sandboxes.getByName(objectName({ principal: this.#parts.principal, name }));
  }
}

/** Resolves to null when the work takes longer. */
async function within<Value>(ms: number, work: Promise<Value>): Promise<Value | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

const unusedStatus: Omit<SandboxStatus, "name" | "created_at" | "last_used_at"> = {
  state: "asleep",
  is_responding: true,
  disk_bytes: null,
  checkpoint_at: null,
  running_processes: 0,
  previews: [],
};

const tooManySandboxes = (limit: number): Result<never> =>
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
