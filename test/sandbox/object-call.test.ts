// Which errors of a call to a Durable Object are foreseeable. The errors have the properties that the runtime gives them.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { succeed } from "../../src/contract/result.ts";
import { DurableSandbox } from "../../src/sandbox/durable-sandboxes.ts";
import { callObject } from "../../src/sandbox/object-call.ts";
import type { SandboxRpc } from "../../src/sandbox/sandbox-rpc.ts";

beforeEach(() => void vi.spyOn(console, "error").mockReturnValue());
afterEach(() => void vi.restoreAllMocks());

const interrupted = {
  ok: false,
  failure: { reason: "machine_unavailable", message: "the sandbox was interrupted", retry_after_ms: 1_000 },
};
const throwing = (properties: object) => callObject(() => Promise.reject(Object.assign(new Error("gone"), properties)));

test.each([
  ["a reset", { durableObjectReset: true }],
  ["an overload", { overloaded: true }],
  ["a lost connection", { retryable: true, remote: true }],
])("callObject() answers %s with a failure", async (_, properties) => {
  expect(await throwing(properties)).toEqual(interrupted);
});

test("callObject() throws on an error of the object's own code", async () => {
  await expect(throwing({ remote: true })).rejects.toThrow("gone");
  expect(await callObject(async () => 1)).toEqual(succeed(1));
});

/** A stub whose every method answers the same. */
const stubAnswering = (answer: unknown) => new Proxy({}, { get: () => async () => answer }) as SandboxRpc;

test("DurableSandbox throws on an answer that breaks the contract, and never takes it for an interruption", async () => {
  const sandbox = new DurableSandbox({ name: "default", mayCreate: true }, stubAnswering({ unexpected: 1 }), {
    find: () => stubAnswering({}),
    names: async () => [],
  });
  await expect(sandbox.call("info", {})).rejects.toThrow();
  await expect(sandbox.administer("stop", {})).rejects.toThrow();
  await expect(sandbox.checkpoints.list()).rejects.toThrow();
});
