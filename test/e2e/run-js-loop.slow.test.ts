// A loop without calls blocks the local workerd whole (in production the platform ends it): the watchdog outside restarts it,
// and files and machines are unharmed.

import { afterAll, beforeAll, expect, test } from "vitest";
import { connect } from "./support/clients.ts";
import { type Server, startServer } from "./support/start-server.ts";

let server: Server;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test("run_js() with an endless loop is ended from outside, and the next call finds the machine as it was", async () => {
  const client = await connect("2026", server);
  const before = await client.call("exec", {
    command: "echo kept > kept.txt; sleep 600 & echo $!",
  });
  const pid = String(before.structured?.["stdout"]).trim();
  const startedAt = Date.now();
  await client.call("run_js", { code: "while (true) {}" }, { timeout: 60_000 }).catch(() => "the connection was lost");
  const endedAt = Date.now();
  expect(endedAt - startedAt).toBeLessThan(20_000);
  const again = await connectSoon();
  const look = `cat kept.txt; kill -0 ${pid} && echo alive`;
  expect((await again.call("exec", { command: look })).structured?.["stdout"]).toBe("kept\nalive\n");
  expect(Date.now() - endedAt).toBeLessThan(5_000);
  expect((await again.call("run_js", { code: "1 + 1" })).structured?.["value"]).toBe(2);
  await Promise.all([client.close(), again.close()]);
});

/** The server answers 500 until it is up again. */
async function connectSoon() {
  for (const until = Date.now() + 5_000; ; ) {
    try {
      return await connect("2026", server);
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
}
