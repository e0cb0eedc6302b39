// The pool of processes for isolates, on real workerd processes, through its interface for the Worker. What happens to the runs
// in them is in test/e2e/run-js-hostile.test.ts.

import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { bundleIsolates } from "../../container/local/isolates/bundle-isolates.ts";
import { IsolatePool } from "../../container/local/isolates/isolate-pool.ts";
import { isolateSockets } from "../../container/local/isolates/isolate-sockets.ts";
import { servePool } from "../../container/local/isolates/serve-pool.ts";
import { installedWorkerd } from "../../container/local/workerd-path.ts";
import { processIds } from "../../container/proc/proc-file.ts";
import { readStat } from "../../container/proc/process-stat.ts";
import { limits } from "../../src/contract/limits.ts";

let directory: string;
let socketPath: string;
let sockets: string[];
let pool: IsolatePool;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "pool-"));
  const bundle = join(directory, "bundle");
  mkdirSync(bundle);
  await bundleIsolates(bundle);
  const { pool: path, processes, egressToken } = isolateSockets(join(directory, "sockets"));
  socketPath = path;
  sockets = processes;
  const egress = { address: "127.0.0.1:1", token: egressToken };
  pool = new IsolatePool({ workerd: installedWorkerd(), bundle, egress }, processes);
  await servePool(pool, path);
});
afterEach(async () => {
  await pool.close();
  expect(processesOfPool()).toEqual([]);
  rmSync(directory, { recursive: true });
});

interface Lease {
  slot: number;
  id: string;
  call: ClientRequest;
  response: IncomingMessage;
}

async function lease(deadline = Date.now() + 60_000): Promise<Lease> {
  const call = request({ socketPath, path: `/lease?deadline=${deadline}` }).end();
  // A lease that the test gives up breaks the connection.
  call.on("error", () => undefined);
  const [response]: IncomingMessage[] = await once(call, "response");
  if (response === undefined) throw new Error("No response");
  response.on("error", () => undefined);
  return { slot: Number(response.headers["slot"]), id: String(response.headers["lease"]), call, response };
}

async function release({ id }: Lease): Promise<string | null> {
  const call = request({ socketPath, path: `/release?lease=${id}`, method: "POST" }).end();
  const [response] = await once(call, "response");
  return z.object({ reason: z.string().nullable() }).parse(JSON.parse(await text(response))).reason;
}

const processesOfPool = (): number[] =>
  processIds().filter((pid) => {
    const stat = readStat(pid);
    return stat?.parent === process.pid && stat.name === "workerd" && stat.state !== "Z";
  });

const pidOfOnlyProcess = async (): Promise<number> => {
  await expect.poll(processesOfPool).toHaveLength(1);
  return processesOfPool()[0] ?? 0;
};

test("lease() gives each run a process of its own, and the same one again when it was given back", async () => {
  const first = await lease();
  const second = await lease();
  expect(second.slot).not.toBe(first.slot);
  expect(await release(first)).toBeNull();
  expect((await lease()).slot).toBe(first.slot);
});

test("lease() waits while all processes are in use", async () => {
  const all = await Promise.all(sockets.map(() => lease()));
  expect(all.map(({ slot }) => slot).toSorted((a, b) => a - b)).toEqual(sockets.map((_, slot) => slot));
  const waiting = lease();
  const [first] = all;
  if (first === undefined) throw new Error("No lease");
  expect(await release(first)).toBeNull();
  expect((await waiting).slot).toBe(first.slot);
});

test("a process is ended at the deadline of its run, and replaced", async () => {
  const pid = await pidOfOnlyProcess();
  const held = await lease(Date.now() + 100);
  await expect.poll(() => processesOfPool().includes(pid)).toBe(false);
  expect(await release(held)).toBe("deadline");
  expect(await release(await lease())).toBeNull();
});

test("a process that is killed is reported, and replaced", async () => {
  const pid = await pidOfOnlyProcess();
  const held = await lease();
  process.kill(pid, "SIGKILL");
  expect(await release(held)).toBe("crash");
  expect(await release(await lease())).toBeNull();
});

test("a process that cannot answer is not used again", async () => {
  const pid = await pidOfOnlyProcess();
  const held = await lease();
  process.kill(pid, "SIGSTOP");
  expect(await release(held)).toBeNull();
  await expect.poll(() => processesOfPool().includes(pid)).toBe(false);
  expect(await release(await lease())).toBeNull();
});

test("a caller that goes away has its process ended", async () => {
  const pid = await pidOfOnlyProcess();
  const held = await lease();
  held.call.destroy();
  await expect.poll(() => processesOfPool().includes(pid)).toBe(false);
});

test("a caller that goes away while it waits takes no process", async () => {
  const all = await Promise.all(sockets.map(() => lease()));
  const waiting = request({ socketPath, path: `/lease?deadline=${Date.now() + 60_000}` }).end();
  waiting.on("error", () => undefined);
  // The pool answers calls in order, so that it has the first one when it answers this.
  const [first, ...others] = all;
  if (first === undefined) throw new Error("No lease");
  waiting.destroy();
  await release(first);
  await Promise.all(others.map(release));
  const again = await Promise.all(Array.from({ length: limits.isolatesAtOnce }, () => lease()));
  expect(new Set(again.map(({ slot }) => slot)).size).toBe(limits.isolatesAtOnce);
});
