// Previews: programs in a machine, reached by URL, from where a browser would.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { connect, type McpClient } from "../support/clients.ts";
import { fetchPreview, openPreview, openSocket } from "./preview-client.ts";

const { origin, url, key, otherKey, readKey } = inject("server");
const devServer = readFileSync(join(import.meta.dirname, "dev-server.mjs"), "utf8");
const html = { accept: "text/html,application/xhtml+xml" };

let client: McpClient;
const sandbox = "previewed";
const call = (input: Record<string, unknown>) => client.call("sandbox", { sandbox, ...input });
const exec = (input: Record<string, unknown>) => client.call("exec", { sandbox, ...input });

async function expose(input: Record<string, unknown>): Promise<string> {
  const { structured, text } = await call({ action: "expose", ...input });
  expect(text).toContain(structured?.["url"]);
  return String(structured?.["url"]).replace(/\/$/, "");
}

/** The dev server says so. */
const listening = (processId: string) =>
  client.call("process", { sandbox, action: "read", process_id: processId, until: "output", stdout_offset: 0 });

beforeAll(async () => {
  client = await connect("2026", { url, key });
  await exec({ command: "cat > dev-server.mjs", stdin: devServer });
});
afterAll(() => client.close());

describe("a program in the machine", () => {
  let preview: string;
  beforeAll(async () => {
    preview = await expose({ port: 4000 });
    await exec({ command: "exec node dev-server.mjs 4000", background: true, process_id: "dev" });
    await listening("dev");
  });

  test("its URL has an origin of its own, with port and token", () => {
    const { host, port } = new URL(origin);
    expect(host).toBe(`127.0.0.1:${port}`);
    expect(preview).toMatch(new RegExp(`^http://4000-[a-z2-7]{26}\\.localhost:${port}$`));
  });

  test("sees a client of its own host, and no credentials of this server", async () => {
    const { body } = await fetchPreview(`${preview}/headers?x=%20y`, {
      headers: {
        authorization: `Bearer ${key}`,
        cookie: "own=1; CF_Authorization=secret; __cf_bm=x; sandbox_mcp_session=y; other=2",
        "cf-container-target-port": "39100",
        "cf-ray": "1",
        "x-forwarded-for": "6.6.6.6",
        "x-own": "kept",
      },
    });
    expect(JSON.parse(body)).toEqual({
      host: "localhost:4000",
      "x-forwarded-host": new URL(preview).host,
      "x-forwarded-proto": "http",
      "x-forwarded-for": "127.0.0.1",
      "x-own": "kept",
      cookie: "own=1; other=2",
      url: "/headers?x=%20y",
    });
  });

  test.each([
    ["a page of its own", "/missing", { status: 404, body: "own 404" }, { "x-own": "yes" }],
    ["a compressed body", "/gzip", { status: 200, body: "zipped" }, {}],
    ["nothing", "/not-modified", { status: 304, body: "" }, {}],
    ["a redirect to itself", "/redirect", { status: 302 }, { location: "{preview}/there?x=1" }],
    ["cookies", "/cookies", { status: 200 }, { "set-cookie": ["a=1; Path=/", "b=2; path=/; HttpOnly"] }],
  ])("answers %s through its preview", async (_, path, answer, headers) => {
    const got = await fetchPreview(`${preview}${path}`);
    expect(got).toMatchObject(answer);
    const expected = JSON.parse(JSON.stringify(headers).replace("{preview}", preview));
    expect(got.headers).toMatchObject(expected);
    expect(got.headers["x-robots-tag"]).toBe("noindex");
  });

  test("a large body comes whole, with its length", async () => {
    const { headers, body } = await fetchPreview(`${preview}/large`);
    expect([headers["content-length"], body.length]).toEqual(["3000000", 3_000_000]);
  });

  test("an answer streams: each event comes when it is sent", async () => {
    const response = await openPreview(`${preview}/ticks`);
    const events: string[] = [];
    for await (const chunk of response) {
      events.push(String(chunk));
      // None would come if the last one were not here yet.
      if (events.length < 5) await fetchPreview(`${preview}/tick`, { method: "POST" });
    }
    expect(events).toEqual([0, 1, 2, 3, 4].map((count) => `data: ${count}\n\n`));
  });

  test("a request streams: what was sent comes back before the rest is sent", async () => {
    const { request } = await import("node:http");
    const { port, host } = new URL(preview);
    const sent = request({ host: "127.0.0.1", port, path: "/echo", method: "POST", headers: { host } });
    sent.write("first ");
    const response = await new Promise<import("node:http").IncomingMessage>((resolve, reject) =>
      sent.once("response", resolve).once("error", reject),
    );
    const first: Buffer = await new Promise((resolve) => response.once("data", resolve));
    expect(first.toString()).toBe("first ");
    sent.end("second");
    let rest = "";
    for await (const chunk of response) rest += chunk;
    expect(rest).toBe("second");
  });

  test("a browser that leaves ends the request in the machine", async () => {
    const response = await openPreview(`${preview}/forever`);
    await new Promise((resolve) => response.once("data", resolve));
    response.destroy();
    const said = () => client.call("process", { sandbox, action: "read", process_id: "dev" });
    await expect.poll(async () => (await said()).text).toContain("left");
  });

  test("WebSockets pass both ways, with the origin that a dev server expects", async () => {
    const socket = await openSocket(`${preview}/socket`, {
      Origin: preview,
      "Sec-WebSocket-Protocol": "vite-hmr, other",
    });
    expect(socket.head).toMatch(/sec-websocket-protocol: vite-hmr\r?$/im);
    expect(await socket.next()).toBe("hello from localhost:4000, origin http://localhost:4000");
    const long = "x".repeat(40_000);
    socket.send("one");
    socket.send(long);
    expect([await socket.next(), await socket.next()]).toEqual(["re: one", `re: ${long}`]);
    socket.close();
    await socket.closed;
    const said = () => client.call("process", { sandbox, action: "read", process_id: "dev" });
    await expect.poll(async () => (await said()).text).toContain("closed");
  });

  test("a WebSocket of another origin keeps it, for the program to refuse", async () => {
    const socket = await openSocket(`${preview}/socket`, { Origin: "https://evil.example" });
    expect(await socket.next()).toBe("hello from localhost:4000, origin https://evil.example");
    socket.close();
  });

  test("a connection broken off is 502 and says so", async () => {
    const { status, body } = await fetchPreview(`${preview}/break-off`);
    expect([status, JSON.parse(body)]).toEqual([
      502,
      { error: "The program on port 4000 closed the connection without an answer" },
    ]);
  });
});

describe("a port nobody listens on", () => {
  test("gives navigations a page that reloads, and others an error", async () => {
    const preview = await expose({ port: 4001 });
    const page = await fetchPreview(preview, { headers: html });
    expect([page.status, page.headers["content-type"]]).toEqual([502, "text/html; charset=utf-8"]);
    expect(page.body).toContain('http-equiv="refresh" content="1"');
    const other = await fetchPreview(preview, { headers: { accept: "*/*" } });
    expect([other.status, JSON.parse(other.body)]).toEqual([502, { error: "Nothing listens on port 4001 yet" }]);
    const form = await fetchPreview(preview, { method: "POST", headers: html, body: "a=1" });
    expect(form.headers["content-type"]).toBe("application/json");
    await exec({ command: "exec node dev-server.mjs 4001", background: true });
    await expect.poll(async () => (await fetchPreview(preview, { headers: html })).body).toContain("new WebSocket");
  });
});

describe("a sleeping machine", () => {
  const asleep = "preview-asleep";
  const state = async () => (await call({ action: "status", sandbox: asleep })).structured?.["state"];
  beforeAll(async () => {
    await exec({ sandbox: asleep, command: "true" });
    await call({ action: "stop", sandbox: asleep });
  });

  test("is not woken by a preview that may not", async () => {
    const preview = await expose({ sandbox: asleep, port: 4002 });
    const { status, body } = await fetchPreview(preview, { headers: html });
    expect([status, body]).toEqual([503, expect.stringContaining("The machine is asleep")]);
    expect(await state()).toBe("asleep");
  });

  test("is woken by one that may, and its command started", async () => {
    const command = `node -e 'require("http").createServer((_, r) => r.end("up " + process.env.PORT + " " + process.env.MODE)).listen(process.env.PORT)'`;
    await call({ action: "configure", sandbox: asleep, env: { MODE: "preview" } });
    const preview = await expose({ sandbox: asleep, port: 4003, command });
    const first = await fetchPreview(preview, { headers: html });
    expect([first.status, first.body]).toEqual([503, expect.stringContaining("The machine is starting")]);
    await expect.poll(async () => (await fetchPreview(preview, { headers: html })).body).toBe("up 4003 preview");
    // The one who called first after the wake still hears of it.
    expect((await exec({ sandbox: asleep, command: "true" })).structured).toHaveProperty("notice");
    const list = await client.call("process", { sandbox: asleep, action: "list" });
    expect(list.structured?.["processes"]).toHaveLength(2);
  });
});

describe("what previews do not reach", () => {
  test.each(["/mcp", "/health", "/files/default/x"])("%s of the server is not on a preview's origin", async (path) => {
    const preview = await expose({ port: 4000 });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const answer = await fetchPreview(`${preview}${path}`, { method: "POST", headers, body });
    expect([answer.status, answer.body]).toEqual([404, ""]);
  });

  test.each([
    ["an unknown token", `4000-${"a".repeat(26)}`],
    ["no token", "4000"],
    ["a short token", "4000-abc"],
    ["a name", "www"],
    ["a nested name", `x.4000-${"a".repeat(26)}`],
    ["the runner's port", `39100-${"a".repeat(26)}`],
  ])("%s is a plain 404", async (_, label) => {
    const { status, body, headers } = await fetchPreview(`http://${label}.localhost:${new URL(origin).port}/mcp`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect([status, body, headers["content-type"]]).toEqual([
      404,
      "There is no preview here. It may have been removed or have expired.\n",
      "text/plain; charset=utf-8",
    ]);
  });

  test("another port of the sandbox under the same token", async () => {
    const preview = await expose({ port: 4000 });
    expect((await fetchPreview(preview.replace("4000-", "4001-"))).status).toBe(404);
  });

  test("a page of a preview may not call the server", async () => {
    const preview = await expose({ port: 4000 });
    const response = await fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, origin: preview, "content-type": "application/json" },
      body: "{}",
    });
    expect(response.status).toBe(403);
  });
});

describe("expose", () => {
  test.each<[string, Record<string, unknown>, RegExp]>([
    ["the runner's port", { port: 39_100 }, /^Port 39100 belongs to the machine itself and cannot be exposed\.$/],
    ["port 0", { port: 0 }, /"port": must be at least 1/],
    ["a port out of range", { port: 70_000 }, /"port": must be at most 65535/],
    ["no port", {}, /"port" is missing/],
    ["a time that is none", { port: 5000, expires_in: "soon" }, /expires_in is "soon"/],
    ["a time too long", { port: 5000, expires_in: "400d" }, /up to 30 d/],
    ["a command that never starts", { port: 5000, wake: false, command: "x" }, /omit wake/],
  ])("refuses %s", async (_, input, words) => {
    const { isError, text } = await call({ action: "expose", ...input });
    expect([isError, text]).toEqual([true, expect.stringMatching(words)]);
  });

  test("keeps the URL of a port that is exposed, and changes the rest", async () => {
    const first = await expose({ port: 4100 });
    const again = await expose({ port: "4100", wake: "true", expires_in: "2h" });
    expect(again).toBe(first);
    const { text, structured } = await call({ action: "status" });
    expect(text).toContain(`port 4100 at ${first}/ (expires in 2 h; wakes the machine)`);
    expect(structured?.["previews"]).toContainEqual(
      expect.objectContaining({ port: 4100, url: `${first}/`, wake: true }),
    );
  });

  test("ends at its time", async () => {
    const preview = await expose({ port: 4101, expires_in: "5s" });
    expect((await fetchPreview(preview)).status).toBe(502);
    await expect.poll(async () => (await fetchPreview(preview)).status).toBe(404);
    expect((await call({ action: "status" })).text).not.toContain("4101");
  });

  test("is taken back by unexpose, at once and for good", async () => {
    const preview = await expose({ port: 4102 });
    expect((await fetchPreview(preview)).status).toBe(502);
    expect((await call({ action: "unexpose", port: 4102 })).isError).toBe(false);
    expect((await fetchPreview(preview)).status).toBe(404);
    expect(await expose({ port: 4102 })).not.toBe(preview);
    expect((await fetchPreview(preview)).status).toBe(404);
    expect((await call({ action: "unexpose", port: 4109 })).text).toMatch(/^Nothing is exposed on port 4109/);
  });
});

test("another principal neither sees nor ends a preview", async () => {
  await expose({ port: 4103 });
  const other = await connect("2026", { url, key: otherKey });
  expect((await other.call("sandbox", { action: "status", sandbox })).text).toMatch(/^There is no sandbox "previewed"/);
  expect((await other.call("sandbox", { action: "unexpose", sandbox, port: 4103 })).isError).toBe(true);
  expect((await other.call("sandbox", { action: "list" })).text).not.toContain("previewed");
  await other.close();
  expect((await call({ action: "status" })).text).toContain("port 4103");
});

test("who may only read is shown ports, and no URL", async () => {
  const reader = await connect("2026", { url: `${url}?scope=read`, key });
  const { text, structured } = await reader.call("sandbox", { action: "status", sandbox });
  expect(text).toMatch(/preview: port \d+ \(expires/);
  expect(text + JSON.stringify(structured)).not.toMatch(/localhost:|[a-z2-7]{26}/);
  await reader.close();
  expect(readKey).not.toBe(key);
});
