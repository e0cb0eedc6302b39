// Many calls at once, and many in a row: all right, and nothing left behind.

import { expect, test } from "vitest";
import { connect } from "./support/clients.ts";
import { testEngine } from "./support/engine.ts";
import { mounts, openFiles } from "./support/host.ts";
import { serverProcesses } from "./support/server-processes.ts";
import { startServer } from "./support/start-server.ts";

test("50 concurrent calls over 10 sandboxes are all right", async () => {
  const server = await startServer();
  const client = await connect("2026", server);
  const calls = Array.from({ length: 50 }, (_, index) => ({
    sandbox: `s${index % 10}`,
    command: `sleep 0.2; echo ${index}`,
  }));
  const results = await Promise.all(calls.map((call) => client.call("exec", call)));
  expect(results.map(({ structured }) => structured?.["stdout"])).toEqual(calls.map((_, index) => `${index}\n`));
  await client.close();
  await server.stop();
});

test("500 calls leave no process, mount or descriptor behind", async () => {
  const server = await startServer();
  const client = await connect("2026", server);
  const commands = [
    "true",
    "echo x",
    "seq 1 2000",
    "false",
    "(sleep 0.01 &)",
    "echo $(date) >&2",
    "cat",
    "setsid true",
  ];
  const run = async (count: number) => {
    for (let index = 0; index < count; index += 10) {
      const batch = Array.from({ length: 10 }, (_, offset) => commands[(index + offset) % commands.length]);
      await Promise.all(batch.map((command) => client.call("exec", { command })));
    }
  };
  await run(50);
  const zombies = () =>
    serverProcesses(server)
      .filter(({ state }) => state === "Z")
      .map(({ name }) => name)
      .sort();
  const machine = () =>
    serverProcesses(server)
      .map(({ name }) => name)
      .sort();
  const files = () =>
    serverProcesses(server)
      .filter(({ name }) => name !== "sh")
      .map(({ pid }) => openFiles(pid))
      .reduce((sum, count) => sum + count, 0);
  // The machine in use, and the spare that the built-in engine makes in the background.
  const runners = testEngine === "docker" ? 1 : 2;
  await expect.poll(() => machine().filter((name) => name === "sandbox-runner").length).toBe(runners);
  // What the first calls started may still be ending.
  let names: string[] = [];
  const change = () => {
    const earlier = names;
    names = machine();
    return earlier.join() === names.join() ? "none" : names;
  };
  await expect.poll(change, { interval: 500 }).toBe("none");
  const before = { machine: names, files: files() };
  await run(500);
  await expect.poll(machine).toEqual(before.machine);
  // Connections that are kept for the next call come and go; one descriptor lost a call would be 500.
  await expect.poll(() => Math.max(0, files() - before.files)).toBeLessThan(50);
  expect(mounts().filter((line) => line.includes("sandbox-mcp"))).toEqual([]);
  await expect.poll(zombies).toEqual([]);
  await client.close();
  await server.stop();
});
