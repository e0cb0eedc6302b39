// The audit log of egress that `npm start` writes, tested against stand-ins on loopback.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { connect, type McpClient } from "../support/clients.ts";
import { type Server, startServer } from "../support/start-server.ts";
import { auditLog, auditRecords } from "./audit-records.ts";
import { canStandIn, type StandIn, startStandIn } from "./stand-in.ts";

if (!canStandIn) console.warn("SKIPPED: tests of the audit log need root, for stand-ins on ports 80 and 443");

describe.skipIf(!canStandIn)("the audit log", () => {
  let standIn: StandIn;
  let server: Server;
  let client: McpClient;

  beforeAll(async () => {
    standIn = await startStandIn();
    server = await startServer({
      env: {
        ...standIn.environment(["plain.example", "registry.example", "denied.example"], {
          "private.example": "10.0.0.1",
        }),
        EGRESS_SECRETS: JSON.stringify([{ host: "registry.example", secret: "TOKEN" }]),
        TOKEN: "s3cr3t-7f1c0de5",
      },
    });
    client = await connect("2026", server);
  });

  afterAll(async () => {
    await client?.close();
    await server?.stop();
    await standIn?.close();
  });

  const exec = (command: string, sandbox: string) => client.call("exec", { command, sandbox });
  const configure = (settings: object, sandbox: string) =>
    client.call("sandbox", { action: "configure", ...settings, sandbox });

  test("has a record of each request with its origin, host, verdict and bytes, and nothing else", async () => {
    const sandbox = "audited";
    await configure({ egress: "none", allow: ["plain.example", "registry.example", "private.example"] }, sandbox);
    const marked = "-H 'x-mine: marked-header' -d marked-body";
    await exec(
      [
        `curl -s ${marked} 'https://registry.example/marked-path?marked-query'`,
        "curl -s 'http://plain.example/bytes?count=1000'",
        `curl -s ${marked} https://denied.example/marked-path`,
        `curl -s ${marked} 'http://169.254.169.254/marked-path?marked-query'`,
        `curl -s ${marked} http://private.example/marked-path`,
        "head -c 3000000 /dev/zero | curl -s -H 'expect:' -T - http://plain.example/count",
      ].join("; "),
      sandbox,
    );
    const code = `await fetch("https://registry.example/count", { method: "POST", body: "marked-body" });
      await (await fetch("https://registry.example/marked-path")).text(); await fetch("https://denied.example/marked-path")`;
    await client.call("run_js", { code, sandbox });
    const principal = "local";
    const machine = { from: "machine", principal, sandbox };
    const isolate = { from: "isolate", principal, sandbox };
    await expect
      .poll(() => auditRecords(server, sandbox))
      .toEqual([
        {
          ...machine,
          host: "registry.example",
          port: 443,
          verdict: "allowed",
          bytes: "marked-body".length + "POST registry.example/marked-path?marked-query\n".length,
        },
        { ...machine, host: "plain.example", port: 80, verdict: "allowed", bytes: 1000 },
        { ...machine, host: "denied.example", port: 443, verdict: "unlisted", bytes: 0 },
        { ...machine, host: "169.254.169.254", port: 80, verdict: "never", bytes: 0 },
        { ...machine, host: "private.example", port: 80, verdict: "never", bytes: 0 },
        { ...machine, host: "plain.example", port: 80, verdict: "allowed", bytes: 3_000_000 + 7 },
        { ...isolate, host: "registry.example", port: 443, verdict: "allowed", bytes: "marked-body".length + 2 },
        {
          ...isolate,
          host: "registry.example",
          port: 443,
          verdict: "allowed",
          bytes: "GET registry.example/marked-path\n".length,
        },
        { ...isolate, host: "denied.example", port: 443, verdict: "unlisted", bytes: 0 },
      ]);
    expect(auditLog(server)).not.toMatch(/marked|\/|authorization|s3cr3t/);
    expect(server.output()).not.toMatch(/marked|"event":"egress"/);
  });

  test("counts what was transferred when the client aborts", async () => {
    const sandbox = "broken-off";
    await configure({ allow: ["plain.example"] }, sandbox);
    const { structured } = await exec("curl -sN http://plain.example/endless | head -c 50 | wc -c", sandbox);
    expect(structured?.["stdout"]).toBe("50\n");
    await expect.poll(() => auditRecords(server, sandbox)).toMatchObject([{ verdict: "allowed" }]);
    expect(z.object({ bytes: z.number() }).parse(auditRecords(server, sandbox)[0]).bytes).toBeGreaterThanOrEqual(50);
  });
});
