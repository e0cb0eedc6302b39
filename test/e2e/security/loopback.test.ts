// Every port of loopback on which a part of a server listens, used by a stranger: any user of the host can connect to it. Only the
// server's own port shows anything, and nothing that a stranger sends anywhere uses a credential, asks the policy or leaves a record.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RUNNER_PORT } from "../../../src/contract/operation.ts";
import { auditRecords } from "../egress/audit-records.ts";
import { canStandIn, type StandIn, startStandIn } from "../egress/stand-in.ts";
import { connect, type McpClient } from "../support/clients.ts";
import { descendants, listeningSockets } from "../support/host.ts";
import { type Server, startServer } from "../support/start-server.ts";
import { connectAsStranger } from "./stranger.ts";

if (!canStandIn) console.warn("SKIPPED: the ports of loopback need root, for stand-ins on ports 80 and 443");

/** Cannot be guessed from here; what is tried below are the names that a stranger knows. */
const NAMES = ["registry.example", "*", "x.invalid", "a\u0000b", "127.0.0.1"];
const get = "GET /echo HTTP/1.1\r\nHost: registry.example\r\nConnection: close\r\n\r\n";

const ATTEMPTS: string[] = [
  get,
  get.replace("/echo", "https://registry.example/echo"),
  get.replace(
    "\r\n\r\n",
    "\r\nMF-Original-URL: https://registry.example/echo\r\nMF-Route-Override: sandbox-mcp\r\n\r\n",
  ),
  get.replace("\r\n\r\n", "\r\nMF-Route-Override: network\r\n\r\n"),
  get.replace(
    "\r\n\r\n",
    "\r\nx-isolate-token: \r\nx-isolate-props: {}\r\nx-isolate-url: https://registry.example/echo\r\n\r\n",
  ),
  `CONNECT 127.0.0.1:8080 HTTP/1.1\r\nHost: x\r\nX-Dst-Addr: 127.0.0.1:${RUNNER_PORT}\r\n\r\n${get.replace("/echo", "/health")}`,
  'PUT /egress HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 10\r\n\r\n{"port":80}',
  "GET /ca HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
  ...["198.18.1.0:80", "198.18.1.0:443", "127.0.0.1:8080", "registry.example:443"].flatMap((to) => [
    `CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n\r\n${get}`,
    ...NAMES.flatMap((name) =>
      ["x-tls-sni", "x-hostname"].map(
        (header) => `CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n${header}: ${name}\r\n\r\n${get}`,
      ),
    ),
  ]),
];

describe.skipIf(!canStandIn)("the ports of loopback", () => {
  let standIn: StandIn;
  let server: Server;
  let client: McpClient;

  beforeAll(async () => {
    standIn = await startStandIn();
    server = await startServer({
      env: {
        ...standIn.environment(["registry.example"]),
        EGRESS_SECRETS: JSON.stringify([{ host: "registry.example", secret: "TOKEN" }]),
        EGRESS_DEFAULT: "internet",
        TOKEN: "s3cr3t-7f1c0de5",
      },
    });
    client = await connect("2026", server);
    await client.call("exec", { command: "true" });
  });

  afterAll(async () => {
    await client?.close();
    await server?.stop();
    await standIn?.close();
  });

  test("give a stranger nothing", async () => {
    // The way that the attempts imitate is open to the machine.
    const { structured } = await client.call("exec", {
      command: "curl -sS -o /dev/null -w '%{http_code}' https://registry.example/echo",
    });
    expect(structured?.["stdout"]).toBe("200");
    await expect.poll(() => auditRecords(server, "default").length).toBe(1);
    const ports = listeningSockets(descendants(server.pid).map(({ pid }) => pid));
    expect(ports.filter(({ address }) => address !== "127.0.0.1")).toEqual([]);
    const others = ports.filter(({ port }) => port !== Number(new URL(server.origin).port));
    // workerd's for what the machine sends, for isolates, for Miniflare and its Node part; the engine's for the machine.
    expect(others.length).toBeGreaterThanOrEqual(4);
    const attempts = others.flatMap(({ port }) => ATTEMPTS.map((text) => ({ port, text })));
    const answers = (await connectAsStranger(attempts)).map((answer, index) => ({ ...attempts[index], answer }));
    // Each was answered, or its connection was closed without an answer.
    expect(answers.filter(({ answer }) => /^[A-Z]\w+Error$/.test(answer) && answer !== "ConnectionResetError")).toEqual(
      [],
    );
    const shown = answers.filter(({ answer }) =>
      /Bearer|authorization|CERTIFICATE|"status"|s3cr3t|workerd|node_modules|\n\s+at /.test(answer),
    );
    expect(shown).toEqual([]);
    const echoed = answers.filter(({ answer }) => /"host":|GET registry\.example/.test(answer));
    expect(echoed).toEqual([]);
    expect(standIn.seen.filter(({ path }) => path === "/echo")).toHaveLength(1);
    expect(auditRecords(server, "default")).toHaveLength(1);
    const status = await client.call("sandbox", { action: "status" });
    expect(status.structured?.["hosts"]).toMatchObject([{ host: "registry.example", count: 1 }]);
  });
});
