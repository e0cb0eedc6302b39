// The end of `npm start` stores the files of every machine, whatever ends it and however long that takes.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connect } from "./support/clients.ts";
import { descendants, isAlive } from "./support/host.ts";
import { serverProcesses, watchMachines } from "./support/server-processes.ts";
import { removeState, startServer } from "./support/start-server.ts";
import { exec, expectFilesKept, pressTenTimes, startInTerminal, stops } from "./support/stops-in-terminal.ts";

let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), "sandbox-mcp-stopping-"));
});
afterEach(() => removeState(stateDir));

const ROUNDS = 5;

test("a file that was written just before is there after each of 20 stops, in every way in which a person ends `npm start`", async () => {
  const kinds = Object.keys(stops);
  await expectFilesKept(stateDir, Array.from({ length: ROUNDS }, () => kinds).flat());
  expect(ROUNDS * kinds.length).toBe(20);
});

test("files are stored although a process has to be killed and another checkpoint is being taken", async () => {
  const first = await startServer({ stateDir, env: { CHECKPOINT_AFTER: "10m" } });
  const large = "head -c 100M /dev/urandom > large; sha256sum large > sum";
  await exec(first, `${large}; (trap '' TERM; while :; do sleep 1; done) >/dev/null 2>&1 & echo`);
  const inMachine = watchMachines(first);
  const client = await connect("2026", first);
  // The server ends before it answers.
  client.call("sandbox", { action: "checkpoint", name: "large" }).catch(() => undefined);
  await expect.poll(() => inMachine().some(({ name }) => name === "tar"), { interval: 5 }).toBe(true);
  await exec(first, "echo last > last");
  expect(await first.stop("SIGINT")).toBe(0);
  const second = await startServer({ stateDir });
  const { stdout, notice } = await exec(second, "cat last; sha256sum --check sum");
  expect([stdout, notice]).toEqual(["last\nlarge: OK\n", expect.stringContaining("Its files are as they were")]);
  await second.stop();
});

test("a stop that hangs can be forced, and only once the server has said so", async () => {
  const server = await startInTerminal(stateDir);
  await exec(server, "echo > lost");
  const started = descendants(server.pid);
  for (const { pid, name } of serverProcesses(server)) if (name === "sandbox-runner") process.kill(pid, "SIGSTOP");
  await pressTenTimes(server);
  await expect.poll(server.output).toContain("Press Ctrl-C three times within a second to end without them");
  await pressTenTimes(server);
  await server.ended;
  expect(server.output()).toContain("lose what is newer than their last checkpoint");
  await expect.poll(() => started.filter(({ pid }) => isAlive(pid))).toEqual([]);
});
