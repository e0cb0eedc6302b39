// Guessing the access key of a local server: whoever else has the address of this host, the right key is never refused.

import { afterAll, beforeAll, expect, test } from "vitest";
import { limits } from "../../../src/contract/limits.ts";
import { type Server, startServer } from "../support/start-server.ts";

let server: Server;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const send = (key: string, headers: Record<string, string> = {}) =>
  fetch(`${server.origin}/files/default/`, { headers: { authorization: `Bearer ${key}`, ...headers } });

test("wrong keys are refused with 429 after a while, also with an address that the client made up, and the right one is not", async () => {
  for (let n = 0; n < limits.wrongKeysMax; n += 1) expect((await send(`guess-${n}`)).status).toBe(401);
  const refused = await send("guess", { "cf-connecting-ip": "203.0.113.7" });
  expect([refused.status, Number(refused.headers.get("retry-after"))]).toEqual([429, expect.any(Number)]);
  // The key is known, the path is not that of a file, and MCP takes only POST.
  expect((await send(server.key)).status).toBe(400);
  expect((await fetch(server.url, { headers: { authorization: `Bearer ${server.key}` } })).status).toBe(405);
});
