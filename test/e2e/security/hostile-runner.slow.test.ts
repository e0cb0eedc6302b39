// Commands that stop the runner of their machine, or answer in its place, on a running server: every call ends, the machine can be
// stopped and destroyed, and the other sandboxes of the same principal are not held up.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { connect, type McpClient } from "../support/clients.ts";
import { type Server, startServer } from "../support/start-server.ts";

let server: Server;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

let client: McpClient;
let sandbox: string;
let count = 0;
beforeEach(async () => {
  client = await connect("2026", server);
  count += 1;
  sandbox = `hostile-${count}`;
});
afterEach(async () => {
  await client.call("sandbox", { action: "destroy", sandbox, with_checkpoints: true });
  await client.close();
});

const call = async (tool: string, input: Record<string, unknown> = {}) =>
  (await client.call(tool, { sandbox, ...input }, { timeout: 170_000 })).text;

/** In the machine, the runner is the process of that name; the command that stops it goes on. */
const RUNNER = "$(grep -lx sandbox-runner /proc/[0-9]*/comm | head -n 1 | cut -d / -f 3)";

/** Stops the runner a moment after the answer of this call. */
async function stopRunner(): Promise<void> {
  await call("exec", {
    command: `kill -0 ${RUNNER} && (setsid sh -c 'sleep 1; kill -STOP ${RUNNER}' >/dev/null 2>&1 &)`,
  });
  await expect
    .poll(() => call("exec", { command: "true", wait_ms: 1_000 }), { timeout: 120_000 })
    .toContain("its runner");
}

test("a runner that a command has stopped: calls fail, others go on, and stop ends it by force", async () => {
  await call("exec", { command: "echo kept > kept" });
  await call("sandbox", { action: "checkpoint", name: "before" });
  await stopRunner();
  const [file, list, other] = await Promise.all([
    call("file", { action: "read", path: "kept" }),
    client.call("sandbox", { action: "list" }),
    client.call("exec", { command: "echo other", sandbox: `${sandbox}-other` }),
  ]);
  expect(file).toContain("its runner did not respond in time");
  expect(list.text).toMatch(new RegExp(`^${sandbox}: awake, but its machine does not answer`, "m"));
  expect(other.text).toContain("other");
  expect(await call("sandbox", { action: "stop" })).toContain("was ended by force");
  expect(await call("exec", { command: "cat kept" })).toContain("kept");
  await client.call("sandbox", { action: "destroy", sandbox: `${sandbox}-other`, with_checkpoints: true });
});

test("a sandbox whose runner a command has stopped can be destroyed, and a new one of its name works", async () => {
  await stopRunner();
  expect(await call("sandbox", { action: "destroy" })).toContain(`${sandbox} is destroyed`);
  expect(await call("exec", { command: "echo again" })).toContain("again");
});

test("a download breaks when a command has stopped the runner", async () => {
  await call("exec", { command: "head -c 300000000 /dev/zero > large" });
  const response = await fetch(`${server.origin}/files/${sandbox}/large`, {
    headers: { authorization: `Bearer ${server.key}` },
  });
  const reader = response.body?.getReader();
  await reader?.read();
  await stopRunner();
  const rest = async () => {
    for (let bytes = 0; ; ) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) return bytes;
      bytes += value?.length ?? 0;
    }
  };
  await expect(rest()).rejects.toThrow();
});

/**
 * Has Node's inspector, which a signal opens, put other code into the runner. The argument is JavaScript that answers a request on the
 * connection `peer`.
 */
const impostor = (answer: string) => {
  const code = `
    const { Server } = process.getBuiltinModule("node:http");
    const zlib = process.getBuiltinModule("node:zlib");
    const HEAD = "HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\n";
    const endlessly = (peer, piece) => {
      const more = () => { while (peer.write(piece)) continue; };
      peer.on("drain", more).on("error", () => {});
      more();
    };
    const emit = Server.prototype.emit;
    setTimeout(() => {
      Server.prototype.emit = function (event, request, ...rest) {
        if (event !== "request") return emit.call(this, event, request, ...rest);
        const peer = request.socket;
        ${answer};
        return true;
      };
    }, 2000);`;
  return `
import json, os, signal, socket, time, urllib.request
runner = next(int(p) for p in os.listdir("/proc") if p.isdigit() and open(f"/proc/{p}/comm").read() == "sandbox-runner\\n")
os.kill(runner, signal.SIGUSR1)
for attempt in range(100):
    try: target = json.load(urllib.request.urlopen("http://127.0.0.1:9229/json"))[0]["webSocketDebuggerUrl"]; break
    except OSError: time.sleep(0.1)
peer = socket.create_connection(("127.0.0.1", 9229))
path = target.split("9229")[1]
peer.sendall(f"GET {path} HTTP/1.1\\r\\nHost: 127.0.0.1:9229\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\nSec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\\r\\n\\r\\n".encode())
peer.recv(4096)
message = json.dumps({"id": 1, "method": "Runtime.evaluate", "params": {"expression": ${JSON.stringify(`(() => {${code}})()`)}}}).encode()
peer.sendall(bytes([0x81, 0xFE]) + len(message).to_bytes(2, "big") + bytes(4) + message)
print(peer.recv(65536))
`;
};

test.each<[title: string, answer: string, message: string]>([
  ["nonsense", 'peer.end(HEAD + "Content-Length: 2\\r\\n\\r\\n[]")', "an answer that is not valid"],
  [
    "a redirect",
    'peer.end("HTTP/1.1 302 Found\\r\\nLocation: http://127.0.0.1/\\r\\nContent-Length: 0\\r\\n\\r\\n")',
    "not valid",
  ],
  ["an endless answer", 'peer.write(HEAD + "\\r\\n"); endlessly(peer, " ".repeat(1e6))', "not valid"],
  [
    "a bomb",
    'const bomb = zlib.gzipSync(Buffer.alloc(3e8)); peer.write(HEAD + "Content-Encoding: gzip\\r\\nContent-Length: " + bomb.length + "\\r\\n\\r\\n"); peer.end(bomb)',
    "not valid",
  ],
  ["endless headers", 'peer.write(HEAD); endlessly(peer, "a: b\\r\\n".repeat(1e4))', "its runner"],
])("a command that answers for the runner with %s", async (_, answer, message) => {
  await call("exec", { command: "echo kept > kept" });
  await call("file", { action: "write", path: "impostor.py", content: impostor(answer) });
  expect(await call("exec", { command: "python3 impostor.py" })).toContain("undefined");
  await expect.poll(() => call("exec", { command: "true", wait_ms: 1_000 }), { timeout: 120_000 }).toContain(message);
  const [list, other] = await Promise.all([
    client.call("sandbox", { action: "list" }),
    client.call("exec", { command: "echo other", sandbox: `${sandbox}-other` }),
  ]);
  expect(list.text).toContain(`${sandbox}: awake, but its machine does not answer`);
  expect(other.text).toContain("other");
  expect(await call("sandbox", { action: "stop" })).toContain("was ended by force");
  expect(await call("exec", { command: "echo again" })).toContain("again");
  await client.call("sandbox", { action: "destroy", sandbox: `${sandbox}-other`, with_checkpoints: true });
});
