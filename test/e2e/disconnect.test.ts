// Clients that disconnect during a call, and a Worker that is killed during one.

import { expect, inject, test } from "vitest";
import { connect, eras } from "./support/clients.ts";
import { testEngine } from "./support/engine.ts";
import { partsOf } from "./support/host.ts";
import { startServer } from "./support/start-server.ts";

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

// With Docker, a new process that serves the Worker starts new machines (container/local/server.ts).
if (testEngine === "docker") console.warn("SKIPPED: with Docker, commands end with the process that serves the Worker");
const killed = [
  ["workerd", "workerd"],
  ["the process that serves the Worker", "worker"],
] as const;

test.each(killed.slice(0, testEngine === "docker" ? 1 : 2))(
  "a command is found again by its id, with all its output, after %s was killed",
  async (_, part) => {
    const server = await startServer();
    const client = await connect("2026", server);
    const input = { command: "for i in $(seq 1 20); do echo line $i; sleep 0.3; done", process_id: "long" };
    // Whether this call breaks or hangs is Miniflare's affair.
    const leaving = new AbortController();
    const first = client.call("exec", input, { signal: leaving.signal }).catch(() => "broke");
    await expect
      .poll(async () => (await client.call("process", { action: "read", process_id: "long" })).structured?.["stdout"])
      .toContain("line 2");
    const killed = partsOf(server.pid, part);
    for (const pid of killed) process.kill(pid, "SIGKILL");
    leaving.abort();
    await first;
    await expect.poll(() => partsOf(server.pid, part).filter((pid) => !killed.includes(pid))).toHaveLength(1);
    await expect.poll(() => isHealthy(server.origin)).toBe(true);
    const again = await client.call("exec", input, { timeout: 60_000 });
    expect(again.structured).toMatchObject({
      status: "exited",
      exit_code: 0,
      attached: true,
      stdout: Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join(""),
    });
    // What machines send out goes through the new one.
    const denied = await client.call("exec", {
      command: "curl -s -w '%{http_code}' -o /dev/null http://denied.example",
    });
    expect(denied.structured).toMatchObject({ exit_code: 0, stdout: "403" });
    await client.close();
    await server.stop();
  },
);

async function isHealthy(origin: string): Promise<boolean> {
  try {
    return (await fetch(`${origin}/health`, { signal: AbortSignal.timeout(1_000) })).ok;
  } catch {
    return false;
  }
}

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
