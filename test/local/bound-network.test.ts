// The network of the local Worker, in workerd's configuration as wrangler writes it: read back with a reader of Cap'n Proto that
// knows nothing of the writer.

import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { boundNetwork } from "../../container/local/bound-network.ts";

const word = (low: number, high: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(low, 0);
  bytes.writeUInt32LE(high, 4);
  return bytes;
};
const list = (offset: number, element: number, count: number): Buffer => word(offset * 4 + 1, count * 8 + element);
const text = (value: string): Buffer => Buffer.from(value.padEnd(Math.ceil((value.length + 1) / 8) * 8, "\0"));

/** A struct of three pointers, and what the first two lead to. */
const network = (denied = 0): Buffer =>
  Buffer.concat([
    ...[list(2, 6, 3), list(8, 6, denied), word(0, 0)],
    ...[list(2, 2, 7), list(2, 2, 8), list(2, 2, 12)],
    ...[text("public"), text("private"), text("240.0.0.0/4")],
  ]);

/** A message of one segment whose root is the first of `parts`. */
const message = (...parts: Buffer[]): Buffer => {
  const body = Buffer.concat([word(0, 3 << 16), ...parts]);
  return Buffer.concat([word(0, body.length / 8), body]);
};

/** The lists of the root, which is a Network. */
function listsOf(config: Buffer): { allow: string[]; deny: string[] } {
  const sizes = Array.from({ length: config.readUInt32LE(0) + 1 }, (_, index) => config.readUInt32LE(4 + index * 4));
  let start = Math.ceil((sizes.length + 1) / 2) * 8;
  const segments = sizes.map((size) => {
    start += size * 8;
    return config.subarray(start - size * 8, start);
  });
  expect(start).toBe(config.length);
  const at = (segment: number, index: number): string[] | string => {
    const memory = segments[segment] ?? Buffer.alloc(0);
    const [low, high] = [memory.readUInt32LE(index * 8), memory.readUInt32LE(index * 8 + 4)];
    if ((low & 3) === 2) return at(high, low >> 3);
    const [first, element, count] = [index + 1 + (low >> 2), high & 7, high >> 3];
    if (element === 2) return memory.toString("latin1", first * 8, first * 8 + count - 1);
    return Array.from({ length: count }, (_, item) => String(at(segment, first + item)));
  };
  return { allow: [at(0, 1)].flat(), deny: [at(0, 2)].flat() };
}

const wranglers = message(network(), text("core:user:any-name"));

test("boundNetwork() puts both lists where workerd finds them", () => {
  expect(listsOf(wranglers)).toEqual({ allow: ["public", "private", "240.0.0.0/4"], deny: [] });
  const lists = { allow: ["public"], deny: ["10.0.0.0/8", "a", "1234567", "12345678", "2001:db8:1234:5678::1/128"] };
  const bounded = boundNetwork(wranglers, lists.allow, lists.deny);
  expect(listsOf(bounded)).toEqual(lists);
  expect(bounded.includes("core:user:any-name")).toBe(true);
  expect(listsOf(boundNetwork(wranglers, [], []))).toEqual({ allow: [], deny: [] });
});

const rejected: [title: string, config: Buffer][] = [
  ["of two segments", Buffer.concat([word(1, wranglers.length / 8 - 1), word(0, 0), wranglers.subarray(8)])],
  ["without the list", message(text("core:user:any-name"))],
  ["with two such lists", message(network(), network())],
  ["that denies something already", message(network(1))],
  ["without the pointers", message(network().subarray(24))],
  ["that is cut off", wranglers.subarray(0, -8)],
  ["with something after it", Buffer.concat([wranglers, word(0, 0)])],
  ["that is empty", Buffer.alloc(0)],
];

test.each(rejected)("boundNetwork() rejects a configuration %s", (_, config) => {
  expect(() => boundNetwork(config, ["public"], [])).toThrow();
});

let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "workerd-"));
  writeFileSync(join(directory, "workerd"), "#!/bin/sh\nexec cat\n");
  chmodSync(join(directory, "workerd"), 0o755);
});
afterAll(() => rmSync(directory, { recursive: true }));

/** With a runtime that prints its configuration. */
const run = (config: Buffer) => {
  const env = { ...process.env, WORKERD: join(directory, "workerd"), SANDBOX_MCP_NODE: process.execPath };
  return spawnSync(join(import.meta.dirname, "../../container/local/workerd"), { input: config, env });
};

test.each<[title: string, users: string[], isBounded: boolean]>([
  ["a Worker", ["core:user:any-name"], true],
  ["a Worker beside the proxy", ["core:user:ProxyWorker", "core:user:any-name"], true],
  ["a Worker with the name of the proxy", ["core:user:ProxyWorker", "RUNTIME_FAULTS"], true],
  ["a Worker with a name like it", ["core:user:ProxyWorker2"], true],
  ["nothing that is known", [], true],
  ["wrangler's proxy", ["core:user:ProxyWorker", "core:user:ProxyWorker"], false],
])("workerd is run for %s", (_, users, isBounded) => {
  const { status, stdout } = run(message(network(), ...users.map(text)));
  expect(status).toBe(0);
  expect(listsOf(stdout).allow).toEqual(isBounded ? ["public"] : ["public", "private", "240.0.0.0/4"]);
  expect(listsOf(stdout).deny.includes("10.0.0.0/8")).toBe(isBounded);
});

test.each(rejected)("workerd is not run with a configuration %s", (_, config) => {
  const { status, stdout, stderr } = run(config);
  expect([status, stdout.length]).toEqual([1, 0]);
  expect(String(stderr)).toContain("would reach private addresses");
});
