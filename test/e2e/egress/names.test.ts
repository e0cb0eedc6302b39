// The names of a machine: what its programs ask for, however odd, is answered by the engine.

import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { connect, type McpClient } from "../support/clients.ts";

describe("names in a machine", () => {
  const sandbox = "names";
  let client: McpClient;

  beforeAll(async () => {
    client = await connect("2026", inject("server"));
  });

  afterAll(async () => {
    await client?.close();
  });

  const python = async (script: string): Promise<string> => {
    const call = { command: "python3 -", stdin: `${PRELUDE}\n${script}`, sandbox };
    const { structured, text } = await client.call("exec", call);
    return structured?.["exit_code"] === 0 ? String(structured["stdout"]) : text;
  };

  test.each<[title: string, query: string, answer: string]>([
    ["a name of 253 characters", 'question(b".".join([b"a" * 63] * 3 + [b"a" * 61]))', "NOERROR 1"],
    ["a label of 63 bytes that are no letters", "question(bytes(range(128, 191)))", "NOERROR 1"],
    ["a label with a NUL", 'question(b"a\\0b.example")', "NOERROR 1"],
    ["a label with a line end and spaces", 'question(b"a 1\\n2 3.example")', "NOERROR 1"],
    ["127 labels", 'question(b".".join([b"a"] * 127))', "NOERROR 1"],
    ["the root", 'question(b"")', "NOERROR 0"],
    ["a type that does not exist", 'question(b"a.example", 65535)', "NOERROR 0"],
    ["a name with extensions (EDNS)", 'question(b"a.example") + bytes.fromhex("0000291000000000000000")', "NOERROR 1"],
    ["a pointer to itself", "HEADER + bytes.fromhex('c00c00010001')", "FORMERR 0"],
    ["a label beyond the end", "HEADER + bytes.fromhex('3f61')", "FORMERR 0"],
    ["a label of 64 bytes", 'HEADER + b"\\x40" + b"a" * 64 + b"\\0" + bytes.fromhex("00010001")', "FORMERR 0"],
    ["no question", "HEADER[:4] + bytes(8)", "FORMERR 0"],
    ["less than a header", "HEADER[:11]", "nothing"],
    ["an answer", 'HEADER[:2] + b"\\x81\\x80" + question(b"a.example")[4:]', "nothing"],
    ["64 KB of zeros", "bytes(65507)", "FORMERR 0"],
    ["a name of 254 characters", 'question(b".".join([b"a" * 63] * 3 + [b"a" * 62]))', "FORMERR 0"],
    ["a name of 50,000 characters", 'question(b".".join([b"a" * 49] * 1000))', "FORMERR 0"],
  ])("%s is answered or ignored, and the next question is answered", async (_, query, answer) => {
    expect(await python(`print(ask(${query}, 0.5)); print(ask(question(b"next.example"), 5))`)).toBe(
      `${answer}\nNOERROR 1\n`,
    );
  });

  test("are answered over TCP too, several on a connection and in pieces", async () => {
    const script = `
with socket.create_connection(("10.0.0.1", 53), 5) as s:
    framed = lambda message: struct.pack("!H", len(message)) + message
    s.sendall(framed(question(b"a.example")) + framed(question(b"b.example"))[:5])
    print(words(receive(s)))
    s.sendall(framed(question(b"b.example"))[5:])
    print(words(receive(s)))
    s.sendall(framed(b"short"))
    print(s.recv(1))
with socket.create_connection(("10.0.0.1", 53), 5) as s:
    s.sendall(b"\\xff\\xff" + bytes(1000))
print(ask(question(b"next.example"), 5))`;
    expect(await python(script)).toBe("NOERROR 1\nNOERROR 1\nb''\nNOERROR 1\n");
  });

  test("of any bytes lead to no connection that hangs", async () => {
    const script = `
for name in (rb"a 198.18.1.1:80\\nb.example", b"a\\0b.example", b"x" * 63 + b"." + b"y" * 63, bytes(range(128, 180)) + b".example"):
    address = socket.inet_ntoa(reply(question(name), 5)[-4:])
    started = time.time()
    with socket.create_connection((address, 80), 5) as s:
        s.settimeout(10)
        s.sendall(b"GET / HTTP/1.1\\r\\nHost: unlisted.example\\r\\n\\r\\n")
        said = s.recv(12)
    print(said in (b"HTTP/1.1 403", b"HTTP/1.1 503", b""), time.time() - started < 3)`;
    expect(await python(script)).toBe("True True\n".repeat(4));
  });
});

const PRELUDE = `
import socket, struct, time
HEADER = bytes.fromhex("123401000001000000000000")
def question(name, kind=1):
    labels = b"".join(bytes([len(label)]) + label for label in name.split(b".")) if name else b""
    return HEADER + labels + b"\\0" + struct.pack("!HH", kind, 1)
def reply(query, seconds):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.settimeout(seconds); s.sendto(query, ("10.0.0.1", 53))
        return s.recv(65535)
def words(answer):
    return f'{("NOERROR", "FORMERR")[answer[3] & 15]} {answer[7]}'
def ask(query, seconds):
    try: return words(reply(query, seconds))
    except TimeoutError: return "nothing"
def receive(s):
    length, = struct.unpack("!H", s.recv(2, socket.MSG_WAITALL))
    return s.recv(length, socket.MSG_WAITALL)
`;
