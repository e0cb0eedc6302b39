// Stand-ins for hosts of the internet, on loopback: one server for clear text and one for TLS, whose certificates a test
// authority signs for whatever name is asked. What they do depends on the path; what they saw is recorded.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import {
  createServer as createHttp,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from "node:http";
import { createServer as createHttps } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { openCertificateAuthority } from "../../../container/engine/egress/certificate-authority.ts";

export interface SeenRequest {
  host: string;
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  /** Names and values as they came, repeats too. */
  rawHeaders: readonly string[];
  /** Its body came to an end. */
  whole: boolean;
}

export interface StandIn {
  /** The other side of every name that is a stand-in's: ports 80 and 443 are served. */
  address: string;
  seen: SeenRequest[];
  /** Headers of the requests that became WebSockets. */
  upgrades: IncomingHttpHeaders[];
  /** Environment for startServer() with which `names` lead here; `others` gives addresses to more names. Holds at once when called again. */
  environment(names: readonly string[], others?: Record<string, string | readonly string[]>): Record<string, string>;
  /** Connections that are open. */
  open(): number;
  close(): Promise<void>;
}

/** Ports below 1024 are root's. */
export const canStandIn = process.getuid?.() === 0;

export interface StandInOptions {
  /** Served before anything else: by path, or by how it begins where the key ends in a slash. */
  routes?: Readonly<Record<string, RequestListener>>;
}

export async function startStandIn({ routes = {} }: StandInOptions = {}): Promise<StandIn> {
  const directory = mkdtempSync(join(tmpdir(), "stand-in-"));
  const authority = await openCertificateAuthority(directory);
  const trusted = join(directory, "trusted.pem");
  const before = process.env["NODE_EXTRA_CA_CERTS"];
  writeFileSync(trusted, `${before === undefined ? "" : readFileSync(before, "utf8")}\n${authority.certificate}`);
  const seen: SeenRequest[] = [];
  const upgrades: IncomingHttpHeaders[] = [];
  const answer: RequestListener = (request, response) => {
    const { method = "", url = "", headers, rawHeaders } = request;
    const entry = { host: headers.host ?? "", method, path: url, headers, rawHeaders, whole: false };
    seen.push(entry);
    request.once("end", () => {
      entry.whole = true;
    });
    const [path = ""] = url.split("?");
    const start = Object.keys(routes).find((route) => route.endsWith("/") && path.startsWith(route));
    (routes[path] ?? routes[start ?? ""] ?? serve)(request, response);
  };
  const plain = createHttp(answer);
  const tls = createHttps(
    { SNICallback: (name, done) => void authority.contextFor(name).then((context) => done(null, context), done) },
    answer,
  );
  for (const server of [plain, tls]) {
    echoWebSockets(server);
    server.on("upgrade", ({ headers }) => upgrades.push(headers));
  }
  // One of many on loopback: test files run at the same time.
  const address = `127.${1 + (process.pid % 250)}.${1 + (Math.floor(process.pid / 250) % 250)}.9`;
  await listen(plain, 80, address);
  await listen(tls, 443, address);
  const open = new Set<Duplex>();
  for (const server of [plain, tls]) {
    server.on("connection", (socket: Duplex) => void open.add(socket.once("close", () => open.delete(socket))));
  }
  return {
    address,
    open: () => open.size,
    seen,
    upgrades,
    environment(names, others = {}) {
      const hosts = join(directory, "hosts");
      const entries = [
        ...names.map((name) => [address, name]),
        ...Object.entries(others).flatMap(([name, addresses]) => [addresses].flat().map((at) => [at, name])),
      ];
      writeFileSync(hosts, `127.0.0.1 localhost\n${entries.map((entry) => `${entry.join(" ")}\n`).join("")}`);
      return { NODE_EXTRA_CA_CERTS: trusted, SANDBOX_MCP_TEST_LOOPBACK: "1", TEST_HOSTS: hosts };
    },
    async close() {
      for (const server of [plain, tls]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const serve: RequestListener = (request, response) => {
  const url = new URL(request.url ?? "/", "http://stand-in");
  switch (url.pathname) {
    case "/echo":
      response.writeHead(200, { "content-type": "application/json", "x-echo": String(request.headers.authorization) });
      return response.end(JSON.stringify(request.headers));
    case "/redirect":
      return response.writeHead(302, { location: url.searchParams.get("to") ?? "/" }).end();
    case "/bytes":
      return sendBytes(Number(url.searchParams.get("count")), response);
    case "/count":
      return void countBody(request).then(
        (count) => response.end(String(count)),
        () => response.destroy(),
      );
    case "/endless": {
      const timer = setInterval(() => response.write("more\n"), 10);
      return void response.once("close", () => clearInterval(timer));
    }
    case "/in-two-parts":
      response.write("first\n");
      endsOfParts.push(() => response.end("last\n"));
      return;
    case "/second-part":
      endsOfParts.shift()?.();
      return response.end();
    default:
      return response.end(`${request.method} ${request.headers.host}${request.url}\n`);
  }
};

/** Of each response to /in-two-parts that waits for a request to /second-part. */
const endsOfParts: (() => void)[] = [];

function sendBytes(count: number, response: Parameters<RequestListener>[1]): void {
  const block = Buffer.alloc(256 * 1024, "x");
  let left = count;
  response.writeHead(200, { "content-length": count });
  const more = (): void => {
    while (left > 0) {
      const piece = left < block.length ? block.subarray(0, left) : block;
      left -= piece.length;
      if (!response.write(piece)) return void response.once("drain", more);
    }
    response.end();
  };
  more();
}

async function countBody(request: IncomingMessage): Promise<number> {
  let count = 0;
  for await (const chunk of request) count += Buffer.isBuffer(chunk) ? chunk.length : 0;
  return count;
}

function echoWebSockets(server: Server): void {
  new WebSocketServer({ server }).on("connection", (socket) => {
    socket.on("message", (message) => socket.send(`echo ${message}`));
  });
}

const listen = (server: Server, port: number, address: string): Promise<void> =>
  new Promise((resolve, reject) => void server.once("error", reject).listen(port, address, resolve));
