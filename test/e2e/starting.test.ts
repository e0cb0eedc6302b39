// A command whose machine is not up yet, and a machine that dies: what is said then, and by which ids.

import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { connect, type McpClient } from "./support/clients.ts";

const { url, key } = inject("server");
let client: McpClient;
beforeAll(async () => {
  client = await connect("2026", { url, key });
});
afterAll(() => client.close());

let count = 0;
/** A sandbox that has no machine yet. */
const fresh = () => `starting-${Date.now().toString(36)}-${count++}`;

test("two equal calls with one process_id in a new sandbox run once, and both get the result", async () => {
  const input = {
    sandbox: fresh(),
    command: "echo ran >> /workspace/runs; sleep 0.5; wc -l < /workspace/runs",
    process_id: "job",
  };
  const results = await Promise.all([client.call("exec", input), client.call("exec", input)]);
  expect(results.map(({ structured }) => structured)).toEqual([
    expect.objectContaining({ status: "exited", exit_code: 0, stdout: "1\n" }),
    expect.objectContaining({ status: "exited", exit_code: 0, stdout: "1\n" }),
  ]);
  expect(results.filter(({ structured }) => structured?.["attached"] === true)).toHaveLength(1);
});

test("a read that waits for the exit of a starting command waits", async () => {
  const sandbox = fresh();
  await client.call("exec", { sandbox, command: "sleep 0.3; echo done", process_id: "slow", wait_ms: 0 });
  const end = await client.call("process", { sandbox, action: "read", process_id: "slow", until: "exit" });
  expect(end.structured).toMatchObject({ status: "exited", exit_code: 0, stdout: "done\n" });
});

test("a refused start leaves the process_id free", async () => {
  const sandbox = fresh();
  const refused = await client.call("exec", { sandbox, command: "pwd", cwd: "/nope", process_id: "again" });
  expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('"/nope" does not exist')]);
  const next = await client.call("exec", { sandbox, command: "pwd", cwd: "/", process_id: "again" });
  expect(next.structured).toMatchObject({ exit_code: 0, stdout: "/\n" });
});

test.each([
  ["an id of the server", undefined],
  ["an id of the caller", "mine"],
])("a process with %s whose machine died is said to be lost, not unknown", async (_, process_id) => {
  const sandbox = fresh();
  await client.call("exec", { sandbox, command: "true" });
  const started = await client.call("exec", { sandbox, command: "sleep 1000", background: true, process_id });
  const id = started.structured?.["process_id"];
  await client.call("exec", { sandbox, command: "kill -9 -1" });
  for (const action of ["read", "signal"]) {
    const asleep = await client.call("process", { sandbox, action, process_id: id });
    expect([asleep.isError, asleep.text]).toEqual([true, expect.stringContaining(`process "${id}" was lost`)]);
  }
  await client.call("exec", { sandbox, command: "true" });
  const later = await client.call("process", { sandbox, action: "read", process_id: id });
  expect([later.isError, later.text]).toEqual([true, expect.stringContaining(`process "${id}" was lost`)]);
});

test("a machine that dies under a command is said so, with and without progress", async () => {
  const sandbox = fresh();
  await client.call("exec", { sandbox, command: "true" });
  for (const options of [{}, { onprogress: () => undefined }]) {
    const died = await client.call("exec", { sandbox, command: "sleep 0.6; kill -9 -1" }, options);
    expect([died.isError, died.text]).toEqual([true, expect.stringContaining("The machine was restarted")]);
  }
});
