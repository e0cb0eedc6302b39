// The calls that workerd makes, which are answered as Docker answers them, and the sidecar through which it reaches ports.

import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EngineUnderTest, homeOf, isRoot, removeHomes, startEngine } from "../engine-under-test.ts";

let engine: EngineUnderTest;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(async () => {
  await engine.close();
  removeHomes();
});

const statusOf = async (method: string, path: string, body?: object) => (await engine.api(method, path, body)).status;

/** A name like those that workerd makes, with an id of the session and 64 digits: longer than the path of a socket may be. */
const longName = (digit: string): string => `workerd-prototype-Box-${digit.repeat(64)}`;

describe("the Docker API", () => {
  it.each([
    ["GET", "/_ping", 200],
    ["GET", "/v1.44/networks/bridge", 200],
    ["GET", "/volumes", 200],
    ["GET", "/images/any/thing:1/json", 200],
    ["GET", "/containers/absent/json", 404],
    ["POST", "/containers/absent/start", 404],
    ["POST", "/containers/absent/wait", 404],
    ["POST", "/containers/absent/kill?signal=9", 404],
    ["DELETE", "/containers/absent?force=true", 404],
    ["POST", "/containers/create?name=../x", 400],
    ["POST", "/containers/create", 400],
  ])("answers %s %s with %i", async (method, path, status) => {
    expect(await statusOf(method, path)).toBe(status);
  });

  it("names the gateway that workerd asks for", async () => {
    expect((await engine.api("GET", "/networks/bridge")).body).toEqual({
      IPAM: { Config: [{ Subnet: "127.0.0.0/8", Gateway: "127.0.0.1" }] },
    });
  });

  it("takes a container from created to running to exited to gone", async () => {
    const name = longName("a");
    const path = `/containers/${name}`;
    const state = async () => (await engine.api("GET", `${path}/json`)).body;
    expect(await engine.api("POST", `/containers/create?name=${name}`, {})).toMatchObject({
      status: 201,
      body: { Id: name },
    });
    expect(await statusOf("POST", `/containers/create?name=${name}`, {})).toBe(409);
    expect(await state()).toMatchObject({
      Name: `/${name}`,
      State: { Status: "created", Running: false, ExitCode: 0 },
    });
    expect(await statusOf("POST", `${path}/kill`)).toBe(409);
    expect(await statusOf("POST", `${path}/stop`)).toBe(304);
    const waited = engine.api("POST", `${path}/wait?condition=next-exit`);
    expect(await statusOf("POST", `${path}/start`)).toBe(204);
    expect(await statusOf("POST", `${path}/start`)).toBe(304);
    expect(await state()).toMatchObject({ State: { Status: "running", Running: true } });
    expect(await statusOf("DELETE", path)).toBe(409);
    expect(await statusOf("PUT", `${path}/archive?path=/etc`)).toBe(200);
    expect(await statusOf("POST", `${path}/kill?signal=TERM`)).toBe(204);
    expect(await waited).toEqual({ status: 200, body: { StatusCode: 143 } });
    expect(await state()).toMatchObject({ State: { Status: "exited", Running: false, ExitCode: 143 } });
    expect(await engine.api("POST", `${path}/wait`)).toEqual({ status: 200, body: { StatusCode: 143 } });
    expect(await statusOf("DELETE", path)).toBe(204);
    expect(await statusOf("GET", `${path}/json`)).toBe(404);
  });

  it("starts one machine for two simultaneous starts, and creates a name once for two simultaneous creates", async () => {
    const creates = ["b", "b"].map(() => statusOf("POST", "/containers/create?name=twice", {}));
    expect((await Promise.all(creates)).sort()).toEqual([201, 409]);
    const starts = [1, 2].map(() => statusOf("POST", "/containers/twice/start"));
    expect((await Promise.all(starts)).sort()).toEqual([204, 304]);
    expect(await statusOf("POST", "/containers/twice/kill?signal=9")).toBe(204);
    expect((await engine.api("POST", "/containers/twice/wait")).body).toEqual({ StatusCode: 137 });
  });

  it("frees a name when a container is deleted while it starts", async () => {
    await engine.api("POST", "/containers/create?name=early", {});
    const start = statusOf("POST", "/containers/early/start");
    expect(await statusOf("DELETE", "/containers/early?force=true")).toBe(204);
    expect(await start).toBe(500);
    expect(await statusOf("GET", "/containers/early/json")).toBe(404);
  });

  it("gives the machine the environment it was created with", async () => {
    await engine.startMachine("env", { GREETING: "a=b c" });
    expect((await engine.exec("env", 'echo "$GREETING"')).output).toBe("a=b c\n");
  });

  it("listens on a socket that only its owner may use", () => {
    expect(statSync(join(homeOf(engine), "engine.sock")).mode & 0o777).toBe(0o600);
  });
});

describe("the sidecar", () => {
  beforeAll(() => engine.startMachine(longName("c")));

  it("serves its certificate and accepts the egress settings", async () => {
    const url = `http://127.0.0.1:${await engine.sidecarPort(longName("c"))}`;
    expect(await (await fetch(`${url}/ca`)).text()).toContain("BEGIN CERTIFICATE");
    expect((await fetch(`${url}/egress`, { method: "PUT", body: '{"port":1,"internet":false}' })).status).toBe(200);
  });

  it("reaches any port, and closes the two directions separately", async () => {
    const script =
      'require("net").createServer({ allowHalfOpen: true }, (s) => s.pipe(s)).listen(7000, () => console.log("up"))';
    await engine.exec(longName("c"), `node -e '${script}' > up 2>&1 & until grep -qs up up; do sleep 0.01; done`);
    const socket = await engine.connect(longName("c"), 7000);
    if (socket === undefined) throw new Error("refused");
    socket.end(Buffer.alloc(1 << 20, "x"));
    let bytes = 0;
    for await (const chunk of socket) bytes += chunk.length;
    expect(bytes).toBe(1 << 20);
  });

  it("refuses a port that nothing listens on", async () => {
    expect(await engine.connect(longName("c"), 7001)).toBeUndefined();
  });

  describe.runIf(isRoot)("refuses another user of the host", () => {
    it("who keeps the connection open", async () => {
      expect(await attack("print(answer(connect()))")).toBe("none\n");
    });

    it("who closes it at once, after which the kernel says that it was root's", async () => {
      const open = await engine.connect(longName("c"), 39_100);
      await attack("for _ in range(300): connect().close()");
      expect((await engine.exec(longName("c"), "ls stranger 2>&1")).code).toBe(2);
      open?.write(`POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 6\r\n\r\nexpr 6`);
      expect(open === undefined ? "" : await text(open)).toContain('"output":"6\\n"');
    });

    it("who has the port of one of the engine's connections, at another address of loopback", async () => {
      const open = await engine.connect(longName("c"), 39_100);
      expect(await attack(`print(answer(connect(("127.0.0.2", ${open?.localPort}))))`)).toBe("none\n");
      open?.destroy();
    });
  });

  /** Runs a script of another user, which can connect and have a command sent to the machine. */
  async function attack(script: string): Promise<string> {
    const connect = `import socket
def connect(address=None):
  connection = socket.create_connection(("127.0.0.1", ${await engine.sidecarPort(longName("c"))}), source_address=address)
  try: connection.sendall(b"CONNECT a HTTP/1.1\\r\\nHost: a\\r\\nX-Dst-Addr: 10.0.0.1:39100\\r\\n\\r\\n"
    b"POST / HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 14\\r\\n\\r\\ntouch stranger")
  except OSError: pass
  return connection
def answer(connection):
  try: return connection.recv(64) or "none"
  except ConnectionResetError: return "none"
`;
    const user = { uid: 7_654_321, gid: 7_654_321 };
    const { stdout, stderr } = spawnSync("python3", ["-c", connect + script], {
      ...user,
      encoding: "utf8",
      timeout: 60_000,
    });
    expect(stderr).toBe("");
    return stdout;
  }
});
