// When a machine sleeps, and when it must not.

import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type McpClient } from "./support/clients.ts";
import { serverProcesses } from "./support/server-processes.ts";
import { type Server, startServer } from "./support/start-server.ts";

let server: Server;
let client: McpClient;
beforeAll(async () => {
  server = await startServer({ env: { SLEEP_AFTER: "4s", LONGEST_AWAKE: "20s" } });
  client = await connect("2026", server);
});
afterAll(async () => {
  await client.close();
  await server.stop();
});

/** The runners of machines that a marker process tells from the spare. */
const machineOf = (marker: string) => serverProcesses(server).filter(({ name }) => name === marker);

test("a command longer than SLEEP_AFTER survives, and the machine sleeps afterwards", async () => {
  const slow = client.call("exec", {
    sandbox: "slow",
    command: "echo $(cat /proc/sys/kernel/random/boot_id); sleep 10; echo end",
  });
  const background = client.call("exec", {
    sandbox: "quiet",
    command: "cp $(command -v sleep) /tmp/marker1; /tmp/marker1 1000",
    background: true,
  });
  expect((await background).structured).toMatchObject({ status: "running" });
  expect((await slow).structured).toMatchObject({ exit_code: 0, stdout: expect.stringMatching(/\nend\n$/) });
  // The other machine had no call for 10 s, but a live process.
  expect(machineOf("marker1")).toHaveLength(1);
  // No call has come for LONGEST_AWAKE: the forgotten process does not keep its machine awake any longer.
  await expect.poll(() => machineOf("marker1"), { interval: 500 }).toEqual([]);
});

test("a machine that slept is started again by the next call, which says so", async () => {
  await client.call("exec", { sandbox: "nap", command: "echo $$" });
  const first = await client.call("exec", { sandbox: "nap", command: "touch /tmp/before", process_id: "first" });
  expect(first.structured).not.toHaveProperty("notice");
  let later = await client.call("process", { sandbox: "nap", action: "list" });
  await expect
    .poll(
      async () => {
        later = await client.call("process", { sandbox: "nap", action: "list" });
        return later.structured?.["processes"];
      },
      { interval: 6_000 },
    )
    .toEqual([]);
  const again = await client.call("exec", { sandbox: "nap", command: "touch /tmp/before", process_id: "first" });
  expect([again.isError, again.text]).toEqual([true, expect.stringContaining('process "first" was lost with it')]);
  const next = await client.call("exec", { sandbox: "nap", command: "ls /tmp/before" });
  expect(next.structured).toMatchObject({ exit_code: 2, notice: expect.stringContaining("restarted") });
});
