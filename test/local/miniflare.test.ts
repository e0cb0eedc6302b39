// What the local server expects of this version of wrangler, Miniflare and workerd, shown on the real ones: an update that changes
// any of it fails here.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { createRequire } from "node:module";
import { networkInterfaces, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import * as z from "zod";
import { ConnectionErrors } from "../../container/local/connection-errors.ts";
import { SIDECAR_IMAGE } from "../../container/local/docker-images.ts";
import { miniflareOptions } from "../../container/local/miniflare-options.ts";
import { networkRules } from "../../container/local/network-rules.ts";
import { faultOf } from "../../src/egress/fault.ts";
import { descendants, listeningSockets } from "../e2e/support/host.ts";
import { endWorkerdWithTests } from "../end-with-tests.ts";
import { freePort } from "../free-port.ts";

const projectDir = join(import.meta.dirname, "../..");
const require = createRequire(import.meta.url);
const Manifest = z.object({
  version: z.string(),
  dependencies: z.record(z.string(), z.string()).default({}),
});
const manifest = (path: string) => Manifest.parse(JSON.parse(readFileSync(path, "utf8")));

test("wrangler and Miniflare are pinned, and Miniflare is the one that wrangler brings", () => {
  const { dependencies } = manifest(join(projectDir, "package.json"));
  const wrangler = manifest(require.resolve("wrangler/package.json"));
  expect(dependencies).toMatchObject({ wrangler: wrangler.version, miniflare: wrangler.dependencies["miniflare"] });
  const miniflare = manifest(join(dirname(require.resolve("miniflare")), "../../package.json"));
  expect(miniflare.version).toBe(dependencies["miniflare"]);
});

test("the sidecar of machines in Docker is the one that Miniflare is made for", () => {
  expect(readFileSync(require.resolve("miniflare"), "utf8")).toContain(
    `DEFAULT_CONTAINER_EGRESS_INTERCEPTOR_IMAGE = "${SIDECAR_IMAGE}"`,
  );
});

/** A server on loopback that must not be reached, and when it may, echoes. */
let target: { port: number; seen: IncomingHttpHeaders[]; close(): void };
let persist = "";

beforeAll(async () => {
  persist = mkdtempSync(join(tmpdir(), "miniflare-"));
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    if (request.url === "/redirect") return response.writeHead(302, { location: "http://elsewhere.example/" }).end();
    return request.pipe(response);
  });
  new WebSocketServer({ server }).on("connection", (socket) =>
    socket.on("message", (data) => socket.send(`echo ${data}`)),
  );
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, "::", resolve));
  target = { port, seen, close: () => server.close() };
});
afterAll(() => {
  target.close();
  rmSync(persist, { recursive: true, force: true });
});

interface Served {
  get(path: string, init?: RequestInit): Promise<Response>;
  probe(way: string, to: string, init?: RequestInit): Promise<Record<string, unknown>>;
  port: number;
  logged: string[];
  stop(): Promise<void>;
}

async function serve({ allowLoopback }: { allowLoopback: boolean }): Promise<Served> {
  const port = await freePort();
  const errors = new ConnectionErrors();
  const logged: string[] = [];
  const miniflare = new Miniflare(
    miniflareOptions({
      bundle: {
        directory: join(import.meta.dirname, "fixture"),
        modules: [{ type: "ESModule", path: join(import.meta.dirname, "fixture/probe-worker.js") }],
        options: {
          name: "probe",
          compatibilityDate: "2026-11-01",
          bindings: {},
          durableObjects: { PROBE: { className: "Probe", useSQLite: true } },
          r2Buckets: { BUCKET: { id: "bucket" } },
          workerLoaders: { LOADER: {} },
        },
      },
      port,
      persist,
      network: networkRules({ allowLoopback }),
      engine: { socket: "unix:///nowhere", sidecarImage: "none", keepsEgressHostname: true },
      image: "none",
      settings: {},
      isolates: null,
      connectionError: (reference) => errors.reasonOf(reference),
      onLog: ({ message }) => {
        errors.take(message);
        logged.push(message);
      },
    }),
  );
  await miniflare.ready;
  const release = endWorkerdWithTests();
  const get = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);
  return {
    ...{ port, logged, get },
    probe: async (way, to, init) =>
      z.record(z.string(), z.unknown()).parse(await (await get(`${way}?to=${encodeURIComponent(to)}`, init)).json()),
    stop: async () => {
      await miniflare.dispose();
      release();
    },
  };
}

describe("a server whose network is public", () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve({ allowLoopback: false });
  });
  afterAll(() => served.stop());

  const hostAddresses = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address, family }) => (family === "IPv6" ? `[${address.replace(/%.*/, "")}]` : address));
  const blocked = [
    ...new Set(["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "10.0.0.1", ...hostAddresses]),
  ];

  test.each(["/fetch", "/object", "/isolate"])("reaches no blocked address through %s, and says so", async (way) => {
    for (const host of [...blocked, "169.254.169.254", "100.64.0.1", "198.18.0.1"]) {
      const { error } = await served.probe(way, `http://${host}:${target.port}/`);
      expect([host, faultOf(String(error))]).toEqual([host, "restricted"]);
    }
    expect(target.seen).toEqual([]);
  });

  test("opens no sockets", async () => {
    for (const host of [...blocked, "1.1.1.1"])
      expect(await served.probe("/connect", `${host}:${target.port}`)).toEqual({ error: expect.any(String) });
  });

  test("says that a name does not exist", async () => {
    const { error } = await served.probe("/fetch", "http://no-such-name.invalid/");
    expect(faultOf(String(error))).toBe("no-name");
  });

  test("listens on loopback only, and no socket but the Worker's shows anything", async () => {
    await served.get("/store");
    const pids = [
      process.pid,
      ...descendants(process.pid)
        .filter(({ name }) => name === "workerd")
        .map(({ pid }) => pid),
    ];
    const sockets = listeningSockets(pids).filter(({ port }) => port !== target.port);
    expect(new Set(sockets.map(({ address }) => address))).toEqual(new Set(["127.0.0.1"]));
    const others = sockets.filter(({ port }) => port !== served.port);
    expect(others.length).toBeGreaterThan(0);
    for (const { port } of others) expect(await tryDoors(port)).toEqual([]);
  });

  test.each<[path: string, headers: Record<string, string>]>([
    ["/cdn-cgi/local/r2/public/bucket/secret", {}],
    ["/cdn-cgi/local/explorer", {}],
    ["/cdn-cgi/local/scheduled", {}],
    ["/json", {}],
    ["/", { "MF-Original-URL": "http://evil.example/" }],
    ["/", { "MF-Route-Override": "closed" }],
    ["/", { "X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example" }],
    ["/", { "MF-Proxy-Shared-Secret": "guess" }],
  ])("leaves %s with %j to the Worker", async (path, headers) => {
    const response = await served.get(path, { headers });
    expect([response.status, await response.json()]).toEqual([
      404,
      expect.objectContaining({ url: `http://127.0.0.1:${served.port}${path}` }),
    ]);
  });

  test("answers an error of the Worker without its message, stack and paths", async () => {
    const response = await served.get("/throw", { headers: { accept: "text/html" } });
    expect([response.status, await response.json()]).toEqual([500, { error: "The server failed; try again" }]);
    expect(served.logged.join("\n")).toContain("the message of a bug");
  });

  test("tells the Worker where a request comes from, whatever the client says", async () => {
    const invented = [
      "X-Forwarded-For",
      "X-Forwarded-Proto",
      "Forwarded",
      "CF-Ray",
      "CF-Worker",
      "CF-IPCountry",
      "CDN-Loop",
    ];
    const headers = {
      ...Object.fromEntries(invented.map((name) => [name, "invented"])),
      ...{
        "CF-Connecting-IP": "6.6.6.6",
        "MF-CF-Blob": JSON.stringify({ country: "T1" }),
        "x-probe": "1",
        connection: "close",
      },
    };
    const seen = await getRaw(served.port, "/", headers);
    expect(JSON.parse(seen.text)).toEqual({
      url: `http://127.0.0.1:${served.port}/`,
      headers: {
        "cf-connecting-ip": "127.0.0.1",
        connection: "close",
        host: `127.0.0.1:${served.port}`,
        "x-probe": "1",
      },
      cf: {},
    });
    const broken = await served.get("/", { headers: { "MF-CF-Blob": "not JSON" } });
    expect(await broken.text()).not.toMatch(/workerd|node_modules|\n\s+at /);
  });
});

/** What the paths of Miniflare's own server show on a port, tried with all that might open them. */
async function tryDoors(port: number): Promise<string[]> {
  const paths = [
    "/cdn-cgi/local/r2/public/bucket/secret",
    "/cdn-cgi/local/explorer",
    "/cdn-cgi/local/platform-proxy",
    "/json",
    "/",
  ];
  const url = `http://127.0.0.1:${port}/cdn-cgi/local/r2/public/bucket/secret`;
  const headers = [
    {},
    { "MF-Original-URL": url },
    { "MF-Route-Override": "probe" },
    { "MF-Original-URL": url, "MF-Route-Override": "probe" },
    { "MF-Route-Override": "edge" },
    { "MF-Route-Override": "network" },
  ];
  const shown: string[] = [];
  for (const path of paths) {
    for (const header of headers) {
      const { status, text } = await getRaw(port, path, header);
      if (status < 400 || /stored secret|\n\s+at |node_modules/.test(text))
        shown.push(`${path} ${JSON.stringify(header)}: ${status} ${text}`);
    }
  }
  return shown;
}

const getRaw = (
  port: number,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const sent = httpRequest({ host: "127.0.0.1", port, path, headers }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on("error", reject).end();
  });

describe("a server that tests let reach loopback", () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve({ allowLoopback: true });
  });
  afterAll(() => served.stop());

  test("passes requests and bodies as they are", async () => {
    target.seen.length = 0;
    const url = `http://127.0.0.1:${target.port}`;
    expect(await served.probe("/fetch", `${url}/`, { method: "POST", body: "hello" })).toMatchObject({
      status: 200,
      text: "hello",
    });
    expect(Object.keys(target.seen[0] ?? {}).sort()).toEqual(["content-length", "host", "x-probe"]);
    const length = 5_000_000;
    const streamed = new Blob(["x".repeat(length)]).stream();
    const init = { method: "POST", body: streamed, duplex: "half" } as RequestInit;
    expect(String((await served.probe("/isolate", `${url}/`, init))["text"]).length).toBe(length);
    expect(await served.probe("/fetch", `${url}/redirect`)).toMatchObject({
      status: 302,
      location: "http://elsewhere.example/",
    });
    expect(await served.probe("/websocket", url)).toEqual({ text: "echo hello" });
  });

  test("still reaches no private address", async () => {
    const { error } = await served.probe("/fetch", "http://10.0.0.1/");
    expect(faultOf(String(error))).toBe("restricted");
  });

  test.each([
    ["https", "no-trust"],
    ["http", "no-answer"],
  ])("says what is wrong with a host that speaks no %s", async (protocol, fault) => {
    const port = protocol === "https" ? target.port : await freePort();
    const { error } = await served.probe("/fetch", `${protocol}://127.0.0.1:${port}/`);
    expect(faultOf(String(error))).toBe(fault);
  });

  test("serves on the same port again after workerd was ended by force", async () => {
    for (const { pid, name } of descendants(process.pid)) if (name === "workerd") process.kill(pid, "SIGKILL");
    await expect.poll(async () => (await served.get("/").catch(() => null))?.status).toBe(404);
    const { error } = await served.probe("/fetch", "http://10.0.0.1/");
    expect(faultOf(String(error))).toBe("restricted");
  });
});
