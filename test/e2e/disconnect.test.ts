// Clients that disconnect during a call.

import { expect, inject, test } from "vitest";
import { connect, eras } from "./support/clients.ts";

const { url, key } = inject("server");

test.each(eras)("a %s client that disconnects ends the command it waited for", async (era) => {
  const watcher = await connect(era, { url, key });
  const sandbox = `leave-${era}`;
  await watcher.call("exec", { sandbox, command: "true" });
  const leaving = new AbortController();
  const response = rawExec(leaving.signal, { sandbox, command: "sleep 777 & setsid sleep 777 & wait" }, era);
  await expect.poll(() => sleeping(watcher, sandbox)).toBe(2);
  leaving.abort();
  await expect(response).rejects.toThrow();
  await expect.poll(() => sleeping(watcher, sandbox)).toBe(0);
  const list = await watcher.call("process", { sandbox, action: "list" });
  expect(list.text).toContain("Cancelled after");
  await watcher.close();
});

test.each(eras)(
  "a %s client that disconnects leaves a command with a process_id, which is found again",
  async (era) => {
    const client = await connect(era, { url, key });
    const sandbox = `return-${era}`;
    await client.call("exec", { sandbox, command: "true" });
    const input = { sandbox, command: "echo start; sleep 5; echo end", process_id: "mine" };
    const leaving = new AbortController();
    const response = rawExec(leaving.signal, input, era);
    await expect.poll(async () => (await client.call("process", { sandbox, action: "list" })).text).toContain("mine");
    leaving.abort();
    await expect(response).rejects.toThrow();
    const again = await client.call("exec", input);
    const ended = { status: "exited", exit_code: 0, stdout: "start\nend\n", attached: true };
    expect(again.structured, again.text).toMatchObject(ended);
    await client.close();
  },
);

async function sleeping(
  client: { call: Awaited<ReturnType<typeof connect>>["call"] },
  sandbox: string,
): Promise<number> {
  const { structured } = await client.call("exec", { sandbox, command: "pgrep -cx sleep" });
  return Number(structured?.["stdout"]);
}

/** A call whose connection can be cut: the SDKs' own cancel would send a message first. */
async function rawExec(signal: AbortSignal, input: Record<string, unknown>, era: string): Promise<string> {
  const modern = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "exec" };
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const response = await fetch(url, {
    method: "POST",
    signal,
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(era === "2026" ? modern : {}),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "exec", arguments: input, ...(era === "2026" ? { _meta: meta } : {}) },
    }),
  });
  return response.text();
}
