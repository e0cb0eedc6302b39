// The file of what went out: what is taken into it, whose it is, and that it does not grow for ever.

import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { EgressLog, type LoggedLine } from "../../container/local/egress-log.ts";
import type { EgressRecord } from "../../src/egress/audit-log.ts";

let directory = "";
let path = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "egress-log-"));
  path = join(directory, "egress.jsonl");
});
afterEach(() => rmSync(directory, { recursive: true }));

const record: EgressRecord = {
  ...{ event: "egress", from: "machine", principal: "alice", sandbox: "default" },
  ...{ host: "git.example", port: 443, verdict: "allowed", bytes: 12 },
};
const line = (message: string, level = "log"): LoggedLine => ({ timestamp: 0, level, message });
const kept = `{"at":"1970-01-01T00:00:00.000Z","from":"machine","principal":"alice","sandbox":"default","host":"git.example","port":443,"verdict":"allowed","bytes":12}\n`;

test("EgressLog keeps records, for its owner, and nothing else that is logged", () => {
  const log = new EgressLog(path);
  log.take(line(JSON.stringify(record)));
  for (const other of ["hello", '{"event":"other"}', ""]) log.take(line(other));
  log.take(line(JSON.stringify(record), "error"));
  expect(readFileSync(path, "utf8")).toBe(kept);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("EgressLog goes on in the file of before", () => {
  new EgressLog(path).take(line(JSON.stringify(record)));
  new EgressLog(path).take(line(JSON.stringify(record)));
  expect(readFileSync(path, "utf8")).toBe(`${kept}${kept}`);
});

test.each([
  ["bytes beyond what a number counts", JSON.stringify({ ...record, bytes: 2 ** 53 })],
  ["half of it", JSON.stringify(record).slice(0, -9)],
])("EgressLog goes on after a record with %s", (_, broken) => {
  const said = vi.spyOn(console, "error").mockReturnValue();
  const log = new EgressLog(path);
  log.take(line(broken));
  log.take(line(JSON.stringify(record)));
  expect(readFileSync(path, "utf8")).toBe(kept);
  expect(said).toHaveBeenCalledOnce();
  said.mockRestore();
});
