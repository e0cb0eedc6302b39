// Why a connection was not made: by what workerd writes, and by what a Worker can know of it.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RuntimeFaults } from "../../container/local/runtime-faults.ts";
import { type FaultLog, lookUpFault } from "../../src/egress/lookup-fault.ts";

/** As workerd 2026-11-17 writes them. */
const logged = (what: string, reference: string) =>
  `e = rust/worker/ffi.rs:104: failed: ${what}\nstack: /bin/workerd@2b5edc0 /bin/workerd@3fe4230; sentryErrorContext = jsgInternalError; wdErrId = ${reference}`;

test.each<[what: string, fault: string, isOne: boolean]>([
  ["connecting to private.example:80 is not allowed", "restricted", true],
  ["failed to lookup address information: Name or service not known", "no-name", true],
  ["failed to lookup address information: Temporary failure in name resolution", "no-name", true],
  ["TLS handshake failed: invalid peer certificate: UnknownIssuer", "no-trust", true],
  ["something else", "unknown", false],
])("RuntimeFaults knows %j as %s, whether asked before or after", async (what, fault, isOne) => {
  const faults = new RuntimeFaults();
  const early = faults.of("early");
  expect(faults.take(logged(what, "early"))).toBe(isOne);
  expect(faults.take(logged(what, "late"))).toBe(isOne);
  expect([await early, await faults.of("late")]).toEqual([fault, fault]);
});

test("RuntimeFaults leaves other errors, and does not wait for what was never written", async () => {
  const faults = new RuntimeFaults();
  expect(faults.take("Error: connecting to private.example:80 is not allowed")).toBe(false);
  const started = Date.now();
  expect(await faults.of("nothing")).toBe("unknown");
  expect(Date.now() - started).toBeLessThan(3_000);
});

beforeEach(() => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const saying = (words: string): FaultLog => ({ fetch: async () => new Response(words) });
const silent: FaultLog = { fetch: () => Promise.reject(new Error("gone")) };
const internal = new Error("internal error; reference = 68nj1ok4bf5rv6b14g4uk548");

test.each<[title: string, error: unknown, log: FaultLog | undefined, fault: string]>([
  ["the log says", internal, saying("restricted"), "restricted"],
  ["the log says something else", internal, saying("nonsense"), "unknown"],
  ["the log does not answer", internal, silent, "unknown"],
  ["there is no log to ask", internal, undefined, "unknown"],
  ["the connection was lost", new Error("Network connection lost."), saying("restricted"), "no-answer"],
  ["the error is another", new Error("connecting to x:80 is not allowed"), saying("restricted"), "unknown"],
  ["no error was thrown", "connecting to x:80 is not allowed", saying("restricted"), "unknown"],
])("lookUpFault() when %s", async (_, error, log, fault) => {
  expect(await lookUpFault("private.example", error, log)).toBe(fault);
});
