// A machine is in use as long as a file streams from it, and sleeps afterwards.

import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type McpClient } from "./support/clients.ts";
import { type Server, startServer } from "./support/start-server.ts";

let server: Server;
let client: McpClient;
beforeAll(async () => {
  server = await startServer({ env: { SLEEP_AFTER: "2s", LONGEST_AWAKE: "4s" } });
  client = await connect("2026", server);
});
afterAll(async () => {
  await client.close();
  await server.stop();
});

const sandbox = "slow-reader";
const filesUrl = (path: string) => `${server.origin}/files/${sandbox}/${path}`;
const headers = () => ({ authorization: `Bearer ${server.key}` });
const bootId = async () =>
  (
    await client.call("exec", {
      sandbox,
      command: "cat /run/boot 2>/dev/null || (echo $RANDOM$RANDOM | tee /run/boot)",
    })
  ).structured?.["stdout"];

test("a download and an upload that outlast SLEEP_AFTER come to their end", async () => {
  const size = 256 * 1024 * 1024;
  const before = await bootId();
  await client.call("exec", { sandbox, command: `truncate -s ${size} large` });
  const response = await fetch(filesUrl("large"), { headers: headers() });
  let received = 0;
  for await (const chunk of response.body ?? []) {
    // Slow enough to take 8 s; far more than the buffers on the way hold.
    const wanted = (received / size) * 8_000;
    received += chunk.length;
    await new Promise((resolve) => setTimeout(resolve, (received / size) * 8_000 - wanted));
  }
  expect(received).toBe(size);
  expect(await bootId()).toBe(before);

  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (sent === 8) return controller.close();
      sent += 1;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      controller.enqueue(new Uint8Array(1_000));
    },
  });
  const put = await fetch(filesUrl("slow"), { method: "PUT", body, headers: headers(), duplex: "half" } as RequestInit);
  expect(put.status).toBe(201);
  expect(await bootId()).toBe(before);
});

test("a download that its client gives up does not keep the machine awake", async () => {
  const before = await bootId();
  const controller = new AbortController();
  const response = await fetch(filesUrl("large"), { headers: headers(), signal: controller.signal });
  await response.body?.getReader().read();
  controller.abort();
  await new Promise((resolve) => setTimeout(resolve, 12_000));
  expect(await bootId()).not.toBe(before);
});
