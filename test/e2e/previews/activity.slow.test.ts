// A preview in use keeps its machine awake, as a call does; one that is left does not.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connect } from "../support/clients.ts";
import { startServer } from "../support/start-server.ts";
import { openSocket } from "./preview-client.ts";

const devServer = readFileSync(join(import.meta.dirname, "dev-server.mjs"), "utf8");

test("a WebSocket in use keeps its machine awake for longer than a process would", async () => {
  const server = await startServer({ env: { SLEEP_AFTER: "1s", LONGEST_AWAKE: "4s" } });
  const client = await connect("2026", server);
  const state = async () => (await client.call("sandbox", { action: "status" })).structured?.["state"];
  try {
    await client.call("exec", { command: "cat > dev-server.mjs", stdin: devServer });
    await client.call("exec", { command: "exec node dev-server.mjs 4000", background: true, process_id: "dev" });
    await client.call("process", { action: "read", process_id: "dev", until: "output", stdout_offset: 0 });
    const { structured } = await client.call("sandbox", { action: "expose", port: 4000 });
    const socket = await openSocket(`${structured?.["url"]}socket`);
    expect(await socket.next()).toMatch(/^hello/);
    for (let count = 0; count < 10; count += 1) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      socket.send(String(count));
      expect(await socket.next()).toBe(`re: ${count}`);
    }
    expect(await state()).toBe("awake");
    // Left open and silent, it is a forgotten tab.
    await expect.poll(state, { timeout: 60_000, interval: 500 }).toBe("asleep");
    await socket.closed;
  } finally {
    await client.close();
    await server.stop();
  }
});
