// Flushing the audit log: a principal whose sandboxes make any number of records pushes out its own oldest ones, which are counted,
// and none of another. Names of hosts of any length take bounded memory.

import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { dropSurplusRecords } from "../../container/local/drop-surplus-records.ts";
import { EgressLog } from "../../container/local/egress-log.ts";
import { type EgressRecord, logEgress } from "../../src/egress/audit-log.ts";
import { EGRESS_TABLE, HostActivityLog, MACHINE_AUDIENCE } from "../../src/egress/host-activity-log.ts";
import { memoryStorage } from "../sandbox/memory-sql.ts";

let directory = "";
let path = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "audit-log-"));
  path = join(directory, "egress.jsonl");
});
afterEach(() => {
  rmSync(directory, { recursive: true });
  vi.restoreAllMocks();
});

const record = (principal: string, host: string): EgressRecord => ({
  ...{
    event: "egress",
    from: "machine",
    principal,
    sandbox: "default",
    host,
    port: 443,
    verdict: "unlisted",
    bytes: 0,
  },
});
const lineOf = (principal: string, n: number) => JSON.stringify({ principal, n, filling: "x".repeat(60) });
const linesOf = (principal: string, count: number) => Array.from({ length: count }, (_, n) => lineOf(principal, n));
const sizeOf = (lines: readonly string[]) => lines.reduce((sum, line) => sum + line.length + 1, 0);

test("a flood of one principal leaves the records of the others, and is counted", () => {
  const alice = linesOf("alice", 3);
  const lines = [...alice.slice(0, 2), ...linesOf("mallory", 5_000), ...alice.slice(2)];
  const kept = dropSurplusRecords(lines, 100_000);
  expect(kept.filter((line) => line.includes("alice"))).toEqual(alice);
  const [count, ...rest] = kept;
  const dropped = lines.length - rest.length;
  expect(JSON.parse(count ?? "")).toEqual({ principal: "mallory", dropped });
  expect([rest.at(-2), sizeOf(rest) <= 100_000]).toEqual([lineOf("mallory", 4_999), true]);
});

test("the counts of earlier floods are added up", () => {
  const first = dropSurplusRecords(linesOf("mallory", 1_000), 10_000);
  const second = dropSurplusRecords([...first, ...linesOf("mallory", 1_000)], 10_000);
  expect(JSON.parse(second[0] ?? "")).toEqual({ principal: "mallory", dropped: 2_000 - (second.length - 1) });
});

test("two floods get the same space, and what the others do not need", () => {
  const lines = [...linesOf("mallory", 2_000), ...linesOf("eve", 1_500), ...linesOf("alice", 10)];
  const kept = dropSurplusRecords(lines, 50_000);
  const keptOf = (principal: string) => kept.filter((line) => line.includes(`"${principal}","n"`));
  expect(keptOf("alice").length).toBe(10);
  expect(Math.abs(sizeOf(keptOf("eve")) - sizeOf(keptOf("mallory")))).toBeLessThan(300);
  expect(sizeOf(kept)).toBeGreaterThan(49_000);
});

test("the file stays bounded under a flood, with the first record of another principal, after a line that was cut off", () => {
  new EgressLog(path).take({ timestamp: 0, level: "log", message: JSON.stringify(record("alice", "git.example")) });
  appendFileSync(path, '{"at":"1970\n');
  const flood = linesOf("mallory", 1_000).join("\n");
  while (statSync(path).size < 32 * 1024 * 1024) appendFileSync(path, `${flood}\n`);
  new EgressLog(path).take({ timestamp: 0, level: "log", message: JSON.stringify(record("mallory", "last.example")) });
  const [counted = "", first = "", ...rest] = readFileSync(path, "utf8").trimEnd().split("\n");
  expect(JSON.parse(counted)).toMatchObject({ principal: "mallory", dropped: expect.any(Number) });
  expect([first, rest.at(-1)]).toEqual([
    expect.stringContaining("git.example"),
    expect.stringContaining("last.example"),
  ]);
  expect(statSync(path).size).toBeLessThanOrEqual(16 * 1024 * 1024 + counted.length + 1);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("the name of a host is shortened in a record", () => {
  const log = vi.spyOn(console, "log").mockReturnValue();
  logEgress(record("mallory", `${"x".repeat(1_000_000)}.example`));
  expect(String(log.mock.calls[0]?.[0]).length).toBeLessThan(500);
});

test("refused requests to hosts with long names take bounded space in a sandbox", () => {
  const { sql } = memoryStorage();
  sql.exec(EGRESS_TABLE);
  const log = new HostActivityLog(sql);
  for (let n = 0; n < 300; n += 1) {
    const host = `${n}.${"x".repeat(100_000)}`;
    log.add({ host, port: 443, audience: MACHINE_AUDIENCE, verdict: "unlisted", bytes: 0 });
  }
  expect(JSON.stringify([log.list(), log.drainRefusals(MACHINE_AUDIENCE)]).length).toBeLessThan(100_000);
});
