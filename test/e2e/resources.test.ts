// Resources, completion and the prompt, through real clients of both eras.

import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { connect as connectTools, type Era, eras } from "./support/clients.ts";

const { url, origin, key, readKey } = inject("server");

type Clients = ModernClient | LegacyClient;

async function connect(era: Era, token: string): Promise<Clients> {
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  const info = { name: "test", version: "1" };
  if (era === "2025") {
    const client = new LegacyClient(info);
    await client.connect(new LegacyTransport(new URL(url), { requestInit }) as Parameters<typeof client.connect>[0]);
    return client;
  }
  const client = new ModernClient(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new ModernTransport(new URL(url), { requestInit }));
  return client;
}

describe.each(eras)("a client of %s", (era) => {
  const sandbox = `resources-${era}`;
  let client: Clients;
  const put = (path: string, body: string | Uint8Array<ArrayBuffer>) =>
    fetch(`${origin}/files/${sandbox}/${path}`, { method: "PUT", body, headers: { authorization: `Bearer ${key}` } });
  const read = (path: string) => client.readResource({ uri: `sandbox://${sandbox}/${path}` });

  beforeAll(async () => {
    client = await connect(era, key);
    await put("src/a%20b.ts", "export const é = 1;\n");
    await put("src/b.ts", "");
    await put("bytes", new Uint8Array([0, 1, 255]));
  });
  afterAll(() => client.close());

  test("is told of resources and prompts, and that their lists do not change", async () => {
    const capabilities = client.getServerCapabilities();
    expect(capabilities).toMatchObject({ completions: {} });
    for (const kind of ["tools", "resources", "prompts"] as const)
      expect(capabilities?.[kind]?.listChanged).not.toBe(true);
    expect((await client.listResources()).resources).toEqual([]);
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
      { name: "file", uriTemplate: "sandbox://{sandbox}/{+path}" },
    ]);
  });

  test("reads text and bytes", async () => {
    expect((await read("src/a%20b.ts")).contents).toEqual([
      {
        uri: `sandbox://${sandbox}/src/a%20b.ts`,
        mimeType: "text/plain; charset=utf-8",
        text: "export const é = 1;\n",
      },
    ]);
    expect((await read("workspace/bytes")).contents).toEqual([
      { uri: `sandbox://${sandbox}/workspace/bytes`, mimeType: "application/octet-stream", blob: "AAH/" },
    ]);
    expect((await read("/etc/passwd")).contents).toMatchObject([{ text: expect.stringContaining("root:") }]);
  });

  test.each<[string, string, RegExp]>([
    ["a missing file", "nope.ts", /Resource not found: sandbox:\/\/.*\/nope\.ts/],
    ["a directory", "src", /is a directory, not a regular file/],
  ])("is told of %s by -32602 with the URI", async (_, path, message) => {
    const error = await read(path).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(message) });
    expect(String(error)).toContain(`sandbox://${sandbox}/${path}`);
  });

  test("is told how to fetch what is too large", async () => {
    await put("large.bin", new Uint8Array(1_000_000));
    await expect(read("large.bin")).rejects.toMatchObject({
      message: expect.stringContaining(
        `curl -fsS -H "Authorization: Bearer $ACCESS_KEY" -o 'large.bin' '${origin}/files/${sandbox}/large.bin'`,
      ),
    });
  });

  test("completes names and paths", async () => {
    const complete = async (name: string, value: string) =>
      (
        await client.complete({
          ref: { type: "ref/resource", uri: "sandbox://{sandbox}/{+path}" },
          argument: { name, value },
          context: { arguments: { sandbox } },
        })
      ).completion.values;
    expect(await complete("sandbox", "de")).toEqual(["default"]);
    expect(await complete("path", "s")).toEqual(["src/"]);
    expect(await complete("path", "src/a")).toEqual(["src/a b.ts"]);
  });

  test("gets the prompt with its arguments in place", async () => {
    expect((await client.listPrompts()).prompts).toMatchObject([
      {
        name: "work_on_repository",
        arguments: [
          { name: "repository", required: true },
          { name: "task", required: true },
        ],
      },
    ]);
    const { messages } = await client.getPrompt({
      name: "work_on_repository",
      arguments: { repository: "https://example.com/a.git", task: "Fix $& it" },
    });
    expect(messages).toHaveLength(1);
    expect(JSON.stringify(messages[0])).toMatch(
      /https:\/\/example\.com\/a\.git.*Fix \$& it.*search.*file edit.*process read/s,
    );
  });
});

test("reading a resource and completing a path leave the notice to the next exec, which shows it once", async () => {
  const sandbox = `resources-notice-${Date.now().toString(36)}`;
  const client = await connect("2026", key);
  const exec = await connectTools("2026", { url, key });
  const uri = "sandbox://{sandbox}/{+path}";
  await client.readResource({ uri: `sandbox://${sandbox}//etc/passwd` });
  await client.complete({
    ref: { type: "ref/resource", uri },
    argument: { name: "path", value: "s" },
    context: { arguments: { sandbox } },
  });
  const notices: unknown[] = [];
  for (let count = 0; count < 2; count += 1) {
    notices.push((await exec.call("exec", { sandbox, command: "true" })).structured?.["notice"]);
  }
  expect(notices).toEqual([expect.stringContaining("This sandbox is new"), undefined]);
  await Promise.all([client.close(), exec.close()]);
});

test("a key that only reads is offered resources and no prompt", async () => {
  const client = await connect("2026", readKey);
  expect(client.getServerCapabilities()?.prompts).toBeUndefined();
  expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1);
  await client.close();
});
