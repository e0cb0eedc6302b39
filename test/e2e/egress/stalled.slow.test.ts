// Clients that never finish what they say on the way out of a machine: each holds a connection at the engine, which must end.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, type McpClient } from "../support/clients.ts";
import { type Server, startServer } from "../support/start-server.ts";
import { type RawRequest, sendRaw } from "./raw-requests.ts";
import { canStandIn, type StandIn, startStandIn } from "./stand-in.ts";

/** The longest of the engine's own and workerd's limits, and some. */
const WITHIN_SECONDS = 30;

if (!canStandIn) console.warn("SKIPPED: stalled clients on the way out need root, for stand-ins on ports 80 and 443");

describe.skipIf(!canStandIn)("a stalled client", () => {
  let standIn: StandIn;
  let server: Server;
  let client: McpClient;

  beforeAll(async () => {
    standIn = await startStandIn();
    server = await startServer({ env: standIn.environment(["web.example"]) });
    client = await connect("2026", server);
    await client.call("sandbox", { action: "configure", allow: ["web.example"] });
  });

  afterAll(async () => {
    await client?.close();
    await server?.stop();
    await standIn?.close();
  });

  const cases: Record<string, Partial<RawRequest>> = {
    "says nothing to port 80": { tls: false, send: "" },
    "says nothing to port 443": { tls: "none", send: "" },
    "begins a handshake": { tls: "none", send: "\x16\x03\x01\x02\x00\x01\x00" },
    "says nothing after its handshake": { send: "" },
    "begins a request line": { tls: false, send: "GET /a" },
    "begins a request line over TLS": { send: "GET /a" },
    "never ends its headers": { tls: false, send: "GET /a HTTP/1.1\r\nHost: web.example\r\n", drip: "X: y\r\n" },
    "waits for a greeting": { tls: false, send: "SSH-2.0-OpenSSH_9\r\n" },
    "keeps an answered connection": {
      send: "GET /a HTTP/1.1\r\nHost: web.example\r\n\r\n",
      methods: ["GET"],
    },
  };

  test("is let go, whatever it does not say", async () => {
    const outcomes = await sendRaw(
      client,
      "default",
      Object.fromEntries(
        Object.entries(cases).map(([name, rest]) => [
          name,
          { host: "web.example", methods: [], until: "closed", patience: WITHIN_SECONDS, send: "", ...rest },
        ]),
      ),
    );
    expect(Object.fromEntries(Object.entries(outcomes).map(([name, { end }]) => [name, end]))).toEqual(
      Object.fromEntries(Object.keys(cases).map((name) => [name, "closed"])),
    );
  });
});
