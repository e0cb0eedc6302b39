// A key that may only read, against the sandboxes of its principal: it wakes those that exist, and creates none.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type McpClient } from "../support/clients.ts";
import { type Server, startServer } from "../support/start-server.ts";

const key = "owner-key-0123456789abcd";
const readKey = "phone-key-0123456789abcd";

let server: Server;
let owner: McpClient;
let reader: McpClient;
let readerResources: Client;
beforeAll(async () => {
  server = await startServer({ env: { ACCESS_KEYS: `owner:${key} owner/phone:${readKey}:read` } });
  owner = await connect("2026", { url: server.url, key });
  reader = await connect("2026", { url: server.url, key: readKey });
  readerResources = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const requestInit = { headers: { Authorization: `Bearer ${readKey}` } };
  await readerResources.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit }));
});
afterAll(async () => {
  for (const client of [owner, reader, readerResources]) await client?.close();
  await server?.stop();
});

const getFile = (path: string) =>
  fetch(`${server.origin}/files/${path}`, { headers: { authorization: `Bearer ${readKey}` } });
const completePath = (sandbox: string) =>
  readerResources.complete({
    ref: { type: "ref/resource", uri: "sandbox://{sandbox}/{+path}" },
    argument: { name: "path", value: "" },
    context: { arguments: { sandbox } },
  });

test("a key that may only read creates no sandbox, whatever it asks for", async () => {
  const made = await owner.call("exec", { command: "echo kept > a.txt", sandbox: "real" });
  expect(made.isError).toBe(false);
  await owner.call("sandbox", { action: "checkpoint", sandbox: "real", name: "first" });
  const listed = await reader.call("sandbox", { action: "checkpoints", sandbox: "real" });
  const checkpoint = /\bc[0-9a-f]{6}\b/.exec(listed.text)?.[0];
  expect(checkpoint).toBeDefined();

  const calls: [tool: string, input: Record<string, unknown>][] = [
    ["file", { action: "list", sandbox: "made1" }],
    ["file", { action: "read", path: "a", sandbox: "made2" }],
    ["file", { action: "stat", path: "a", sandbox: "made3" }],
    ["search", { pattern: "a", sandbox: "made4" }],
    ["sandbox", { action: "diff", checkpoint, sandbox: "made5" }],
  ];
  for (const [tool, input] of calls) {
    const answer = await reader.call(tool, input);
    expect([tool, answer]).toMatchObject([tool, { isError: true }]);
    expect(answer.text).toContain(`There is no sandbox "${input["sandbox"]}". See sandbox {action: "list"}`);
  }
  const file = await getFile("made6/a.txt");
  expect([file.status, await file.text()]).toEqual([404, expect.stringContaining('There is no sandbox \\"made6\\"')]);
  await expect(readerResources.readResource({ uri: "sandbox://made7/a.txt" })).rejects.toThrow(/no sandbox "made7"/);
  expect((await completePath("made8")).completion.values).toEqual([]);
  expect(
    (await reader.call("exec", { command: "true", sandbox: "made9" }).catch(() => ({ isError: true }))).isError,
  ).toBe(true);

  const after = await owner.call("sandbox", { action: "list" });
  expect(after.text).toContain("real");
  expect(after.text).not.toContain("made");
});

test("a key that may only read wakes a sandbox that exists, and reads in it", async () => {
  await owner.call("sandbox", { action: "stop", sandbox: "real" });
  expect((await reader.call("file", { action: "read", path: "a.txt", sandbox: "real" })).text).toContain("kept");
  expect(await (await getFile("real/a.txt")).text()).toBe("kept\n");
  expect((await completePath("real")).completion.values).toContain("a.txt");
});

test("a key that may only read is told that a destroyed sandbox is none", async () => {
  await owner.call("exec", { command: "true", sandbox: "gone" });
  await owner.call("sandbox", { action: "destroy", sandbox: "gone" });
  expect((await reader.call("file", { action: "list", sandbox: "gone" })).text).toContain('There is no sandbox "gone"');
});
