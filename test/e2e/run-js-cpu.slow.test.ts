// The CPU limit of generated code, which local processes enforce as the platform does.

import { afterAll, beforeAll, expect, test } from "vitest";
import { connect } from "./support/clients.ts";
import { type Server, startServer } from "./support/start-server.ts";

let server: Server;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test("run_js() ends code that uses more CPU time than the platform allows, long before its deadline", async () => {
  const client = await connect("2026", server);
  const { structured } = await client.call(
    "run_js",
    { code: 'console.log("before"); for (;;);', timeout_ms: 280_000 },
    { timeout: 300_000 },
  );
  expect(structured).toMatchObject({ error: { name: "CpuLimit" }, logs: "before" });
  await client.close();
});
