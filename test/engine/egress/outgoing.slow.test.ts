// What a machine can do to the sockets of its network, which are the engine's: however hostile it is, the engine and the
// other machines go on.

import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { type EngineUnderTest, readFile, removeHomes, startEngine, users } from "../engine-under-test.ts";

let engine: EngineUnderTest;
afterAll(removeHomes);

const python = async (script: string): Promise<string> =>
  (await engine.exec("hostile", `exec python3 - <<'END' 2>&1\n${PRELUDE}\n${script}\nEND\n`)).output;

const residentMegabytes = (): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFile(`/proc/${engine.pid}/status`))?.[1]) / 1024;

let saidAtStart: string[];

describe.each(users)("with an engine run by %s", (user) => {
  beforeEach(async () => {
    engine = await startEngine({ user });
    saidAtStart = [...engine.stderr];
    await engine.startMachine("hostile");
    await engine.startMachine("other");
  });
  afterEach(async () => {
    try {
      expect((await engine.exec("other", "getent hosts next.example | wc -l")).output).toBe("1\n");
      // Nor was there an error, though one would not have ended it.
      expect(engine.stderr).toEqual(saidAtStart);
    } finally {
      await engine.close();
    }
  });

  it("accepts names that look like addresses", async () => {
    const script = `
context = ssl.create_default_context(); context.check_hostname = False
for name in ("1.2.3.4.5", "1", "...", "255", "0x7f.1.example"):
    address = look_up(name.encode())
    with context.wrap_socket(socket.create_connection((address, 443), 5)) as s:
        s.sendall(b"GET / HTTP/1.1\\r\\n\\r\\n")
        print(s.recv(12))`;
    // There is no Worker to answer.
    expect(await python(script)).toBe("b'HTTP/1.1 503'\n".repeat(5));
  });

  it("sends nothing to port 0", async () => {
    const script = `
query = question(b"a.example")
datagram = struct.pack("!HHHH", 0, 53, 8 + len(query), 0) + query
addresses = socket.inet_aton("10.0.0.2") + socket.inet_aton("10.0.0.1")
packet = struct.pack("!BBHHHBBH", 0x45, 0, 0, 0, 0, 64, socket.IPPROTO_UDP, 0) + addresses + datagram
socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW).sendto(packet, ("10.0.0.1", 0))
print(look_up(b"next.example"))`;
    expect(await python(script)).toMatch(/^198\.18\.\d+\.\d+\n$/);
  });

  it("sends the Worker no name that could end a header", async () => {
    const script = `
address = look_up(b"a 198.18.1.1:80\\r\\nx-tls-sni: b.example")
with socket.create_connection((address, 80), 5) as s:
    s.sendall(b"GET / HTTP/1.1\\r\\nHost: a.example\\r\\n\\r\\n")
    print(b"cannot be sent in a header" in s.recv(1000))`;
    expect(await python(script)).toBe("True\n");
  });

  it("serves a machine 512 connections at a time, and drops those beyond at once", async () => {
    const script = `
resource.setrlimit(resource.RLIMIT_NOFILE, (2000, 2000))
address = look_up(b"a.example")
def state(s):
    s.settimeout(0.2)
    try: return "dropped" if s.recv(1) == b"" else "answered"
    except TimeoutError: return "open"
    except ConnectionResetError: return "dropped"
many = [socket.create_connection((address, 80), 5) for _ in range(600)]
time.sleep(0.5)
print(collections.Counter(map(state, many[500:])).most_common())
for s in many: s.close()
for _ in range(100):
    with socket.create_connection((address, 80), 5) as s:
        s.sendall(b"GET / HTTP/1.1\\r\\n\\r\\n")
        try:
            if s.recv(12): break
        except ConnectionResetError: pass
    time.sleep(0.05)
else: print("no more")`;
    expect(await python(script)).toBe("[('dropped', 88), ('open', 12)]\n");
  });

  it("buffers little for a client that sends queries and reads no answers", async () => {
    const before = residentMegabytes();
    const script = `
message = struct.pack("!H", len(question(b"a.example"))) + question(b"a.example")
sent, s = 0, socket.create_connection(("10.0.0.1", 53), 5)
s.settimeout(5)
try:
    while sent < 100_000_000: sent += s.send(message * 1000)
except OSError as error: print(type(error).__name__)`;
    expect(await python(script)).toMatch(/^(ConnectionResetError|BrokenPipeError)\n$/);
    expect(residentMegabytes() - before).toBeLessThan(100);
  });

  it("holds a bounded number of names", async () => {
    const before = residentMegabytes();
    const script = `
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(5); s.connect(("10.0.0.1", 53))
answered, padding = 0, b".".join([b"p" * 60] * 3)
for start in range(0, 60_000, 100):
    for n in range(start, start + 100): s.send(question(b"%d." % n + padding))
    for n in range(100): answered += len(s.recv(600)) > 0
print(answered)`;
    expect(await python(script)).toBe("60000\n");
    expect(residentMegabytes() - before).toBeLessThan(150);
  });
});

const PRELUDE = `
import collections, resource, socket, ssl, struct, time
def question(name):
    labels = b"".join(bytes([len(label)]) + label for label in name.split(b".") if label)
    return bytes.fromhex("123401000001000000000000") + labels + bytes.fromhex("0000010001")
def look_up(name):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.settimeout(5); s.sendto(question(name), ("10.0.0.1", 53))
        return socket.inet_ntoa(s.recv(600)[-4:])
`;
