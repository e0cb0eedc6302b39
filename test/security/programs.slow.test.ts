// Programs that must work under the filter of system calls. One that this host lacks is skipped, and said so.

import { globSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EngineUnderTest, removeHomes, startEngine, users } from "../engine/engine-under-test.ts";

const C_PROGRAM = `#include <stdio.h>
int twice(int n) { return 2 * n; }
int main(void) { printf("%d\\n", twice(21)); return 0; }
`;

const THREADS = `#include <pthread.h>
#include <stdio.h>
static void *run(void *n) { return n; }
int main(void) { pthread_t t; void *r; pthread_create(&t, 0, run, (void *)42); pthread_join(t, &r); printf("%ld\\n", (long)r); return 0; }
`;

const GO_PROGRAM = `package main
import ("fmt"; "net"; "os/exec")
func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil { panic(err) }
	go func() { c, _ := l.Accept(); c.Write([]byte("42")); c.Close() }()
	c, _ := net.Dial("tcp", l.Addr().String())
	b := make([]byte, 2); c.Read(b)
	out, err := exec.Command("echo", string(b)).Output()
	if err != nil { panic(err) }
	fmt.Print(string(out))
}
`;

const RUST_PROGRAM = `use std::{io::Read, io::Write, net::*, process::Command, thread};
fn main() {
    let l = TcpListener::bind("127.0.0.1:0").unwrap();
    let a = l.local_addr().unwrap();
    let t = thread::spawn(move || l.accept().unwrap().0.write_all(b"42").unwrap());
    let mut s = String::new();
    TcpStream::connect(a).unwrap().read_to_string(&mut s).unwrap();
    t.join().unwrap();
    print!("{}", String::from_utf8(Command::new("echo").arg(s).output().unwrap().stdout).unwrap());
}
`;

const JAVA_PROGRAM = `import java.util.concurrent.*;
class Main { public static void main(String[] a) throws Exception {
  ExecutorService pool = Executors.newFixedThreadPool(4);
  int n = pool.submit(() -> 40).get();
  Process p = new ProcessBuilder("echo", String.valueOf(n + 2)).start();
  System.out.print(new String(p.getInputStream().readAllBytes()));
  pool.shutdown(); } }
`;

const PYTHON_PROGRAM = `import asyncio, multiprocessing, subprocess
async def main():
    server = await asyncio.start_server(lambda r, w: (w.write(b"42"), w.close()), "127.0.0.1", 0)
    r, w = await asyncio.open_connection(*server.sockets[0].getsockname())
    return (await r.read()).decode()
if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool: assert pool.map(abs, [-1, -2]) == [1, 2]
    print(subprocess.check_output(["echo", asyncio.run(main())], text=True), end="")
`;

const NODE_PROGRAM = `const { Worker } = require("worker_threads"), { execFileSync } = require("child_process"), fs = require("fs");
new Worker("require('worker_threads').parentPort.postMessage(42)", { eval: true }).on("message", async (n) => {
  await fs.promises.writeFile("n", String(n));
  process.stdout.write(execFileSync("echo", [fs.readFileSync("n", "utf8")]));
});
`;

const file = (name: string, text: string): string => `cat >${name} <<'END'\n${text}END\n`;

/** A program, a command, and what it prints. A path may have stars. */
const PROGRAMS = [
  ["/usr/bin/gcc", `${file("m.c", THREADS)}gcc -pthread -o m m.c && ./m`, "42\n"],
  [
    "/usr/bin/gdb",
    `${file("d.c", C_PROGRAM)}gcc -g -o d d.c && gdb -q -batch -ex 'break twice' -ex run -ex 'print n' -ex finish -ex continue ./d 2>&1 | grep -E '^\\$|warning|Value|^42'`,
    "$1 = 21\nValue returned is $2 = 42\n42\n",
  ],
  [
    "/usr/bin/strace",
    "strace -f -e trace=openat -o t sh -c 'cat /etc/hostname' && grep -c /etc/hostname t",
    "sandbox\n1\n",
  ],
  ["/usr/bin/python3", `${file("p.py", PYTHON_PROGRAM)}/usr/bin/python3 p.py`, "42\n"],
  ["/usr/bin/env", `${file("n.js", NODE_PROGRAM)}node n.js`, "42\n"],
  [
    "/usr/bin/java",
    `${file("Main.java", JAVA_PROGRAM)}if command -v javac >/dev/null; then java Main.java; else java -version 2>/dev/null && echo 42; fi`,
    "42\n",
  ],
  ["/usr/bin/go", `${file("main.go", GO_PROGRAM)}GOCACHE=/tmp/go GO111MODULE=off go run main.go`, "42\n"],
  ["/usr/bin/rustc", `${file("r.rs", RUST_PROGRAM)}rustc -o r r.rs && ./r`, "42\n"],
  [
    "/usr/lib/chromium/chromium",
    "/usr/lib/chromium/chromium --headless --no-sandbox --disable-gpu --dump-dom 'data:text/html,<script>document.write(6*7)</script>' 2>/dev/null | grep -o '>42<'",
    ">42<\n",
  ],
  [
    "/usr/bin/git",
    "git init -q g && cd g && git config user.email a@b && git config user.name a && git commit -q --allow-empty -m m && git gc -q && git log --format=%s",
    "m\n",
  ],
  [
    "/usr/bin/npm",
    `mkdir q && cd q && echo '{"name":"q","version":"1.0.0"}' >package.json && mkdir d && echo '{"name":"d","version":"1.0.0","scripts":{"install":"echo 42 >done"}}' >d/package.json && npm install -s --offline --no-audit --install-links ./d >/dev/null && cat node_modules/d/done`,
    "42\n",
  ],
  [
    "/usr/bin/redis-server",
    "redis-server --port 7777 --daemonize yes >/dev/null; until redis-cli -p 7777 ping >/dev/null 2>&1; do sleep 0.05; done; redis-cli -p 7777 set a 42 >/dev/null; redis-cli -p 7777 get a; redis-cli -p 7777 bgsave >/dev/null; redis-cli -p 7777 shutdown nosave",
    "42\n",
  ],
] as const;

/** Postgres refuses to run as root, the only user of a machine: it needs namespaces of its own. */
const POSTGRES = "/usr/lib/postgresql/*/bin";
const AS_USER = "unshare --user --map-user=1000 --map-group=1000";
const RUN_POSTGRES = `cd ${POSTGRES} && B=$PWD; cd /workspace
echo 'postgres:x:1000:1000::/:/bin/sh' >>/etc/passwd
${AS_USER} $B/initdb -D db >/dev/null 2>&1 && ${AS_USER} $B/pg_ctl -D db -w -l log -o '-k /tmp -p 5433' start >/dev/null
${AS_USER} $B/psql -h /tmp -p 5433 postgres -Atc 'select 6 * 7'
${AS_USER} $B/pg_ctl -D db -w -m fast stop >/dev/null`;

const isHere = (path: string): boolean => globSync(path).length > 0;

afterAll(removeHomes);

describe.each(users)("in a machine of an engine run by %s", (user) => {
  let engine: EngineUnderTest;
  beforeAll(async () => {
    engine = await startEngine({ user });
    await engine.startMachine("a");
  });
  afterAll(() => engine.close());

  it.for(PROGRAMS)("%s works", async ([path, command, printed], { skip }) => {
    skip(!isHere(path), `${path} is missing on this host`);
    expect((await engine.exec("a", command)).output).toBe(printed);
  });
});

describe.each(users)("in a machine with namespaces of an engine run by %s", (user) => {
  it("postgres works as a user of its own", async ({ skip }) => {
    skip(!isHere(POSTGRES), `${POSTGRES} is missing on this host`);
    const engine = await startEngine({ user, environment: { SANDBOX_MCP_NESTED_NAMESPACES: "1" } });
    try {
      await engine.startMachine("a");
      expect((await engine.exec("a", RUN_POSTGRES)).output).toBe("42\n");
    } finally {
      await engine.close();
    }
  });
});
