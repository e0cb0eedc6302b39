// Which sandboxes a principal may have and have awake, with sandboxes that are busy, idle, asleep, or do not answer.

import { beforeEach, expect, test, vi } from "vitest";
import { Account } from "../../src/account/account.ts";
import { ACCOUNT_MIGRATIONS, SandboxTable } from "../../src/account/sandbox-table.ts";
import { limits } from "../../src/contract/limits.ts";
import { succeed } from "../../src/contract/result.ts";
import type { SandboxStatus } from "../../src/sandbox/admin-actions.ts";
import { migrate } from "../../src/sandbox/storage/migrations.ts";
import { memoryStorage } from "../sandbox/memory-sql.ts";

interface FakeSandbox {
  state: SandboxStatus["state"];
  isBusy: boolean;
  usedAt: number;
  /** The object is reset under every call. */
  isReset?: boolean;
  /** Calls that need its machine are never answered. */
  isSilent?: boolean;
}

let account: Account;
let sandboxes: Map<string, FakeSandbox>;
let log: string[];

beforeEach(() => {
  vi.spyOn(console, "error").mockReturnValue();
  sandboxes = new Map();
  log = [];
  account = accountWith(memoryStorage());
});

function accountWith(storage: ReturnType<typeof memoryStorage>): Account {
  migrate(storage, ACCOUNT_MIGRATIONS);
  return new Account({
    principal: "alice",
    table: new SandboxTable(storage.sql),
    sandboxes: { getByName: (name) => stubOf(name.replace("alice/", "")) },
    quotas: { sandboxesMax: 4, awakeMax: 2 },
  });
}

const statusOf = (name: string, { state, usedAt }: FakeSandbox): SandboxStatus => ({
  ...{ name, state, created_at: null, last_used_at: usedAt, disk_bytes: null, checkpoint_at: null },
  ...{ is_responding: true, running_processes: 0, previews: [] },
});

function stubOf(name: string) {
  const sandbox = sandboxes.get(name) ?? { state: "asleep", isBusy: false, usedAt: 0 };
  const unlessReset = () => {
    if (sandbox.isReset === true) throw new Error("The Durable Object was reset");
  };
  return {
    async administer(action: string) {
      unlessReset();
      if (sandbox.isSilent === true) return new Promise(() => undefined);
      log.push(`${action} ${name}`);
      return succeed({ ...statusOf(name, sandbox), running_processes: 1, hosts: [], settings: [] });
    },
    async cachedStatus() {
      unlessReset();
      return statusOf(name, sandbox);
    },
    async sleepIfIdle(): Promise<"asleep" | "busy"> {
      unlessReset();
      if (sandbox.isSilent === true) return new Promise(() => undefined);
      if (sandbox.isBusy) return "busy";
      sandbox.state = "asleep";
      log.push(`sleep ${name}`);
      return "asleep";
    },
  };
}

/** Admits a sandbox, whose machine is then awake. */
async function wake(name: string, usedAt: number, options: Partial<FakeSandbox> = {}) {
  sandboxes.set(name, { state: "awake", isBusy: false, usedAt, ...options });
  return account.admit(name);
}

const names = async () => (await account.list()).map(({ name }) => name);

test("register() takes as many sandboxes as the quota allows, and a known one again", async () => {
  for (const name of ["a", "b", "c", "d", "a"]) expect(account.register(name)).toEqual(succeed(null));
  expect(account.register("e")).toMatchObject({
    failure: { reason: "quota_exceeded", subject: "sandboxes", limit: 4 },
  });
  account.unregister("b");
  expect(account.register("e")).toEqual(succeed(null));
  expect(await names()).toEqual(["a", "c", "d", "e"]);
});

test("admit() puts the least recently used idle machine to sleep to make a place", async () => {
  await wake("older", 1);
  await wake("newer", 2);
  expect(await wake("third", 3)).toEqual(succeed(null));
  expect(log).toEqual(["sleep older"]);
});

test("admit() leaves busy machines, and names them when there is no other", async () => {
  await wake("older", 1, { isBusy: true });
  await wake("newer", 2);
  expect(await wake("third", 3, { isBusy: true })).toEqual(succeed(null));
  expect(log).toEqual(["sleep newer"]);
  const refused = await wake("fourth", 4);
  expect(refused).toMatchObject({ failure: { subject: "sandboxes awake at once", limit: 2 } });
  expect(JSON.stringify(refused)).toContain("All of these are busy: older, third.");
});

test("admit() takes the place of a sandbox that fell asleep without a report, and puts none to sleep", async () => {
  await wake("a", 1);
  await wake("b", 2);
  sandboxes.set("b", { state: "asleep", isBusy: false, usedAt: 2 });
  expect(await wake("c", 3)).toEqual(succeed(null));
  expect(log).toEqual([]);
});

test("admit() does not give one place to two calls at once", async () => {
  await wake("a", 1, { isBusy: true });
  await wake("b", 2);
  const results = await Promise.all([wake("c", 3, { isBusy: true }), wake("d", 4, { isBusy: true })]);
  expect(results.map(({ ok }) => ok)).toEqual([true, false]);
});

test("admit() goes on with what it knows when a sandbox does not answer", async () => {
  await wake("gone", 1, { isReset: true });
  await wake("b", 2);
  expect(await wake("c", 3)).toEqual(succeed(null));
  expect(log).toEqual(["sleep b"]);
});

test("list() asks the machines of those that are awake", async () => {
  account.register("asleep");
  await wake("awake", 5);
  expect(await account.list()).toMatchObject([
    { name: "asleep", state: "asleep", running_processes: 0 },
    { name: "awake", state: "awake", running_processes: 1, last_used_at: 5, created_at: expect.any(Number) },
  ]);
  expect(log).toEqual(["status awake"]);
});

test("list() does not wait for a sandbox that does not answer, and says which one that is", async () => {
  account.register("silent");
  await wake("silent", 5, { isSilent: true });
  await wake("awake", 6);
  vi.useFakeTimers();
  try {
    const listed = account.list();
    await vi.advanceTimersByTimeAsync(limits.listedStatusMs);
    expect(await listed).toMatchObject([
      { name: "awake", is_responding: true, running_processes: 1 },
      { name: "silent", is_responding: false, state: "awake" },
    ]);
  } finally {
    vi.useRealTimers();
  }
});

test("admit() does not wait for a sandbox that does not fall asleep", async () => {
  await wake("silent", 1, { isSilent: true });
  await wake("idle", 2);
  vi.useFakeTimers();
  try {
    const admitted = wake("third", 3);
    await vi.advanceTimersByTimeAsync(limits.makeRoomMs);
    expect(await admitted).toEqual(succeed(null));
    expect(log).toEqual(["sleep idle"]);
  } finally {
    vi.useRealTimers();
  }
});

test("report() is ignored for a sandbox that is not registered, and keeps the time of its creation", async () => {
  account.report(statusOf("unknown", { state: "awake", isBusy: false, usedAt: 1 }));
  expect(await names()).toEqual([]);
  account.register("a");
  account.report(statusOf("a", { state: "asleep", isBusy: false, usedAt: 9 }));
  expect(await account.list()).toMatchObject([{ last_used_at: 9, created_at: expect.any(Number) }]);
});

test("a status that breaks the contract is thrown, not taken for a sandbox that does not answer", async () => {
  await wake("a", 1);
  account = accountWith(memoryStorage());
  expect(() => account.report({ name: "a" })).toThrow();
});

test("an account from before there was a version opens with its sandboxes", async () => {
  const storage = memoryStorage();
  storage.sql.exec("CREATE TABLE sandboxes (name TEXT PRIMARY KEY, awake INTEGER NOT NULL, status TEXT NOT NULL)");
  const status = statusOf("a", { state: "asleep", isBusy: false, usedAt: 3 });
  storage.sql.exec("INSERT INTO sandboxes VALUES (?, 0, ?)", "a", JSON.stringify(status));
  account = accountWith(storage);
  expect(await account.list()).toEqual([status]);
});
