// What one sandbox counts and tells of what went out on its behalf.

import { beforeEach, expect, test } from "vitest";
import { EGRESS_TABLE, MACHINE_AUDIENCE } from "../../src/egress/host-activity-log.ts";
import { SandboxEgress } from "../../src/sandbox/sandbox-egress.ts";
import { SandboxSettings } from "../../src/sandbox/settings/sandbox-settings.ts";
import { type MemorySql, memorySql } from "./memory-sql.ts";

let sql: MemorySql;
let egress: SandboxEgress;
beforeEach(() => {
  sql = memorySql();
  sql.exec(EGRESS_TABLE);
  egress = new SandboxEgress({
    sql,
    identity: { principal: "alice", name: "default" },
    settings: {
      current: SandboxSettings.parse({ egress: { preset: "none", allow: ["git.example"], deny: [] } }),
    },
    bounds: { ceiling: { preset: "internet", hosts: [] }, default: "packages" },
  });
});

const to = (host: string, audience = MACHINE_AUDIENCE) => ({ host, port: 443, audience });
const hosts = () => egress.hosts().map(({ host, verdict, count, bytes }) => ({ host, verdict, count, bytes }));

test("admit() writes nothing of what it lets through; settle() does, once", () => {
  const before = sql.writes();
  expect(egress.admit(to("git.example"))).toEqual({
    verdict: { allowed: true },
    principal: "alice",
    sandbox: "default",
  });
  expect([sql.writes() - before, hosts()]).toEqual([0, []]);
  egress.settle({ ...to("git.example"), verdict: "allowed", bytes: 5 });
  expect(hosts()).toEqual([{ host: "git.example", verdict: "allowed", count: 1, bytes: 5 }]);
  const first = sql.writes();
  egress.settle({ ...to("git.example"), verdict: "allowed", bytes: 6 });
  expect(hosts()).toEqual([{ host: "git.example", verdict: "allowed", count: 2, bytes: 11 }]);
  expect(sql.writes() - first).toBe(1);
});

test.each([
  ["unreachable", null],
  [
    "never",
    "The sandbox's egress policy refused connections to git.example (once: local and private addresses are always blocked).",
  ],
] as const)("settle() as %s counts that alone", (verdict, notice) => {
  egress.admit(to("git.example"));
  egress.settle({ ...to("git.example"), verdict, bytes: 0 });
  expect(hosts()).toEqual([{ host: "git.example", verdict, count: 1, bytes: 0 }]);
  expect(egress.takeNotice(MACHINE_AUDIENCE)).toBe(notice);
});

test("admit() counts what it refuses, and it is told once", () => {
  expect(egress.admit(to("other.example")).verdict).toEqual({ allowed: false, reason: "unlisted" });
  expect(hosts()).toEqual([{ host: "other.example", verdict: "unlisted", count: 1, bytes: 0 }]);
  expect(egress.takeNotice(MACHINE_AUDIENCE)).toContain("other.example (once)");
  expect(egress.takeNotice(MACHINE_AUDIENCE)).toBeNull();
});

test("takeNotice() still tells the machine after many runs that nobody asked for; the oldest of those are forgotten", () => {
  const runs = Array.from({ length: 150 }, (_, index) => `run ${index}`);
  for (const audience of [MACHINE_AUDIENCE, ...runs]) egress.admit(to("other.example", audience));
  expect(egress.takeNotice(MACHINE_AUDIENCE)).toContain("other.example (once)");
  expect(runs.filter((run) => egress.takeNotice(run) !== null)).toEqual(runs.slice(51));
});

test("takeNotice() keeps apart what configure would allow of a host, and what it would not", () => {
  const other = to("other.example");
  for (const port of [8443, 443, 8443]) egress.admit({ ...other, port });
  expect(egress.takeNotice(MACHINE_AUDIENCE)).toMatch(/other\.example \(2 times: only ports.*other\.example \(once\)/);
});

test("hosts() is a list after sums that no number holds", () => {
  const bytes = Number.MAX_SAFE_INTEGER;
  for (let count = 0; count < 3; count += 1) egress.settle({ ...to("git.example"), verdict: "allowed", bytes });
  expect(hosts()).toEqual([{ host: "git.example", verdict: "allowed", count: 3, bytes }]);
});

test("hosts() has the last 100", () => {
  for (let index = 0; index < 150; index += 1)
    egress.settle({ ...to(`${index}.example`), verdict: "allowed", bytes: 0 });
  expect(hosts()).toHaveLength(100);
});
