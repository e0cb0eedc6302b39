// One sandbox exhausts its machine or the server, while the caller of another works on: no call of it fails, the hostile one is
// told what happened, and works again after a stop, with its files. test/bench/neighbours.bench.ts measures the delays.

import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type McpClient } from "./support/clients.ts";
import { HOSTILE_SETTINGS, hostileActs, hostileCall } from "./support/hostile-acts.ts";
import { Neighbour } from "./support/neighbour.ts";
import { type Server, startServer } from "./support/start-server.ts";

let server: Server;
let hostile: McpClient;
let client: McpClient;
let neighbour: Neighbour;
beforeAll(async () => {
  server = await startServer({ env: { ...HOSTILE_SETTINGS, ACCESS_KEYS: "other:other-key-0123456789" } });
  hostile = await connect("2026", server);
  client = await connect("2026", { url: server.url, key: "other-key-0123456789" });
  neighbour = await Neighbour.start(client, "neighbour");
});
afterAll(async () => {
  await Promise.all([hostile.close(), client.close()]);
  await server.stop();
  expect(server.output()).not.toMatch(/starting everything again|did not answer/);
});

test.each(hostileActs)(
  "$title: the neighbour works on, the caller is told, and a stop recovers",
  async ({ title, act, told, remedy = "true" }) => {
    const sandbox = title.replaceAll(/[^a-z]+/g, "-");
    const call = hostileCall(hostile, sandbox);
    await call("exec", { command: "echo kept > kept.txt" });
    const work = act(call);
    const { failures, durations } = await neighbour.observe(work);
    expect(failures).toEqual([]);
    // Clients give up after a minute.
    expect(Math.max(...durations)).toBeLessThan(45_000);
    expect((await work).join("\n")).toMatch(told);
    await call("sandbox", { action: "stop" });
    expect(await call("exec", { command: `cat kept.txt && ${remedy} && echo new > new.txt && cat new.txt` })).toMatch(
      /kept\nnew/,
    );
    await call("sandbox", { action: "destroy" });
  },
);
