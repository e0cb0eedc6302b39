// What goes out when an ordinary user runs `npm start`, as most will: the same policy, TLS and credentials, made by namespaces
// that need no right of root's. Only the stand-ins, on ports 80 and 443, are root's.

import { chmodSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, type McpClient } from "../support/clients.ts";
import { descendants } from "../support/host.ts";
import { type OrdinaryUser, ordinaryUser } from "../support/ordinary-user.ts";
import { type Server, startServer } from "../support/start-server.ts";
import { canStandIn, type StandIn, startStandIn } from "./stand-in.ts";

const SECRET = "s3cr3t-52c0ffee";

if (!canStandIn)
  console.warn("SKIPPED: what goes out for an ordinary user needs root, for stand-ins on ports 80 and 443");

describe.skipIf(!canStandIn)("what goes out for an ordinary user", () => {
  let standIn: StandIn;
  let user: OrdinaryUser;
  let server: Server;
  let client: McpClient;

  beforeAll(async () => {
    standIn = await startStandIn();
    user = ordinaryUser();
    const env = standIn.environment(["web.example", "denied.example"], { "private.example": "10.0.0.1" });
    // The user reads the table of names and the certificate there.
    chmodSync(dirname(env["TEST_HOSTS"] ?? ""), 0o755);
    server = await startServer({
      ...user,
      env: {
        ...env,
        ...user.env,
        EGRESS_SECRETS: JSON.stringify([{ host: "web.example", path: "/private", secret: "TOKEN" }]),
        TOKEN: SECRET,
      },
    });
    client = await connect("2026", server);
    await client.call("sandbox", { action: "configure", allow: ["web.example", "private.example"] });
  });

  afterAll(async () => {
    await client?.close();
    await server?.stop();
    user?.remove();
    await standIn?.close();
  });

  const output = async (command: string): Promise<string> =>
    String((await client.call("exec", { command })).structured?.["stdout"]);

  test("nothing of the server is root's", () => {
    const owners = [server.pid, ...descendants(server.pid).map(({ pid }) => pid)].map(ownerOf);
    expect(owners.length).toBeGreaterThan(3);
    expect(new Set(owners.filter((owner) => owner !== undefined))).toEqual(new Set([user.uid]));
  });

  test.each<[arguments_: string, answer: string]>([
    ["https://web.example/a", "GET web.example/a\n200"],
    ["http://web.example/a", "GET web.example/a\n200"],
    ["-o /dev/null https://denied.example/", "403"],
    ["-o /dev/null https://10.0.0.1/", "403"],
    ["-o /dev/null -H Host:127.0.0.1 http://web.example/", "403"],
  ])("curl %s", async (arguments_, answer) => {
    expect(await output(`curl -sS -m 5 -w '%{http_code}' ${arguments_}`)).toBe(answer);
  });

  test("a name that leads to a private address is not reached", async () => {
    expect(await output("curl -s -m 5 https://private.example/ -o /dev/null -w '%{http_code}'")).toMatch(/^(403|502)$/);
  });

  test("what is not HTTP is refused at once", async () => {
    expect(await output("curl -s -m 5 http://web.example:8080/ -w '%{exitcode} %{time_total}'")).toMatch(/^7 0\.\d+$/);
  });

  test("a credential is added, and does not come back", async () => {
    standIn.seen.length = 0;
    await output("curl -sS https://web.example/private/a");
    expect(standIn.seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${SECRET}`]);
    expect(await output("env; cat /proc/*/environ | tr '\\0' '\\n'")).not.toContain(SECRET);
  });
});

/** Undefined when it has already ended, and for machines, whose users are of a namespace of their own. */
function ownerOf(pid: number): number | undefined {
  try {
    return Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return undefined;
  }
}
