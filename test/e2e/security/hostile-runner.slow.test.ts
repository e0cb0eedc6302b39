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

/** Takes the sockets of the runner, stops it, and answers on them: the argument is the Python of one answer. */
const impostor = (answer: string) => `
import ctypes, os, signal, socket, threading, time, zlib
runner = next(int(p) for p in os.listdir("/proc") if p.isdigit() and open(f"/proc/{p}/comm").read() == "sandbox-runner\\n")
call = ctypes.CDLL(None, use_errno=True).syscall
pidfd = call(434, runner, 0)
listeners, peers = [], []
for fd in os.listdir(f"/proc/{runner}/fd"):
    try:
        if not os.readlink(f"/proc/{runner}/fd/{fd}").startswith("socket:"): continue
        taken = socket.socket(fileno=call(438, pidfd, int(fd), 0))
        if taken.family != socket.AF_INET: continue
        (listeners if taken.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) else peers).append(taken)
    except OSError: pass
assert listeners, "no socket"
time.sleep(2)
os.kill(runner, signal.SIGSTOP)
def answer(peer):
    try:
        while True:
            request = peer.recv(65536)
            if not request: return
            ${answer}
    except OSError: pass
def accept(listener):
    while True: threading.Thread(target=answer, args=(listener.accept()[0],)).start()
for peer in peers: threading.Thread(target=answer, args=(peer,)).start()
for listener in listeners: threading.Thread(target=accept, args=(listener,)).start()
`;

const HEAD = 'b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\n';

test.each<[title: string, answer: string, message: string]>([
  ["nonsense", `peer.sendall(${HEAD}Content-Length: 2\\r\\n\\r\\n[]")`, "an answer that is not valid"],
  [
    "a redirect",
    'peer.sendall(b"HTTP/1.1 302 Found\\r\\nLocation: http://127.0.0.1/\\r\\nContent-Length: 0\\r\\n\\r\\n")',
    "not valid",
  ],
  [
    "an endless answer",
    `peer.sendall(${HEAD}\\r\\n")\n            while True: peer.sendall(b" " * 1000000)`,
    "not valid",
  ],
  [
    "a bomb",
    `body = zlib.compress(bytes(300000000)); peer.sendall(${HEAD}Content-Encoding: deflate\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body) + body)`,
    "not valid",
  ],
  [
    "endless headers",
    `peer.sendall(${HEAD}")\n            while True: peer.sendall(b"a: b\\r\\n" * 10000)`,
    "its runner",
  ],
])("a command that answers for the runner with %s", async (_, answer, message) => {
  await call("exec", { command: "echo kept > kept" });
  await call("file", { action: "write", path: "impostor.py", content: impostor(answer) });
  expect(await call("exec", { command: "python3 impostor.py", background: true })).toContain("running");
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
