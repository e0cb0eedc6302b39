// What a machine sees, what it is refused, and what works in it, for an engine run by root and by an ordinary user.

import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EngineUnderTest, removeHomes, startEngine, users } from "../engine-under-test.ts";

const project = process.cwd();

/** Each row has a title, a command, and everything that the command prints. */
const INVISIBLE = [
  ["homes", "ls -A /home /root | sort", "\n/home:\n/root:\n"],
  ["the project", `ls -d '${project}' 2>&1 | sed 's/.*: //'`, "No such file or directory\n"],
  ["account secrets", "ls /etc/shadow /etc/gshadow /etc/ssh /etc/sudoers 2>/dev/null", ""],
  ["files that may hold tokens", "ls /etc/npmrc /etc/pip.conf /etc/apt/auth.conf 2>/dev/null", ""],
  ["the host's gitconfig", "cat /etc/gitconfig", readFileSync(join(project, "container/image/gitconfig"), "utf8")],
  [
    "sockets of the host",
    "find / -path /proc -prune -o -type s -not -path /run/sandbox/\\* -print 2>/dev/null; ls /run",
    "lock\nsandbox\nsandbox-programs\n",
  ],
  ["variables of the host", "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -c HOST_SECRET", "0\n"],
  ["processes of the host", "cat /proc/[0-9]*/comm | sort -u | grep -vxE 'sh|sandbox-runner|bash|cat|sort|grep'", ""],
  [
    "files that the engine was started with",
    "cat <&200 || echo >&200",
    "bash: line 1: 200: Bad file descriptor\n".repeat(2),
  ],
  [
    "descriptors of the engine",
    // The sockets of process 1 are its output pipes to the engine.
    "ls /proc/self/fd; ls -l /proc/1/fd | sed -n 's/.* -> //p' | cut -d: -f1 | sort -u; ls -l /proc/[0-9]*/fd | grep -c host-file",
    "0\n1\n2\n3\n/dev/null\nsocket\n0\n",
  ],
  ["devices", "ls /dev", "fd\nfull\nnull\nptmx\npts\nrandom\nshm\nstderr\nstdin\nstdout\ntty\nurandom\nzero\n"],
  ["the system's state", "ls -A /sys | grep -v '^fs$'", ""],
  ["networks", "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '", "lo\neth0\n"],
  ["the host's name", "cat /etc/hostname; uname -n", "sandbox\nsandbox\n"],
  ["a terminal of the host", "(exec 3<>/dev/tty) 2>&1 | sed 's/.*: //'", "No such device or address\n"],
] as const;

const verdict = (command: string) => `if (${command}) >/dev/null 2>&1; then echo done; else echo refused; fi`;

const REFUSED = [
  ["mounting", "mount -t tmpfs none /mnt"],
  ["unmounting", "umount /usr/local"],
  ["making writable what machines share", "mount -o remount,bind,rw /run/sandbox-programs"],
  ["namespaces of its own", "unshare --user --map-root-user true"],
  ["writing into programs of the host", "echo >> /usr/bin/env"],
  ["changing their modes", "chmod 777 /usr/bin/env"],
  ["writing the node that machines share", "echo >> /usr/local/bin/node"],
  ["writing the runner that machines share", "echo >> /run/sandbox-programs/runner.mjs"],
  ["removing the relay's directory", "rmdir /run/sandbox || mv /run/sandbox /run/x"],
  ["the kernel's core handler", "echo '|/x' > /proc/sys/kernel/core_pattern"],
  ["the kernel's settings", "echo 1 > /proc/sys/vm/drop_caches"],
  ["the system request key", "echo h > /proc/sysrq-trigger"],
  ["the kernel's memory", "head -c 1 /proc/kcore"],
  ["making a block device", "mknod /tmp/disk b 8 0"],
  ["making a character device", "mknod /tmp/mem c 1 1"],
  ["setting the clock", 'date -s "$(date)"'],
  ["changing the network", "ip link set lo down || ip route add default dev lo"],
  ["raising its limits", `ulimit -u ${1 << 20}`],
  ["joining the parent of process 1", "nsenter --target 1 --user true"],
  ["leaving the groups of commands", "echo 0 >/sys/fs/cgroup/pids/cgroup.procs"],
  ["a group of its own", "mkdir /sys/fs/cgroup/pids/own"],
  [
    "the counters of its group",
    'f=$(ls /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max); [ -n "$f" ] && echo 9999999999 > $f',
  ],
] as const;

const OWN_NAMESPACES = "unshare --user --map-root-user --mount";

/** What root in namespaces within a machine is refused. */
const REFUSED_WITHIN = [
  ["making writable what machines share", `${OWN_NAMESPACES} mount -o remount,bind,rw /run/sandbox-programs`],
  ["uncovering what a mount hides", `${OWN_NAMESPACES} umount /usr/local`],
  ["the same by a bind", `${OWN_NAMESPACES} mount --bind /usr /mnt`],
  [
    "the same by an overlay",
    `mkdir -p u w; ${OWN_NAMESPACES} mount -t overlay -o lowerdir=/usr,upperdir=u,workdir=w,userxattr none /mnt`,
  ],
] as const;

const WORKS = [
  ["being root", "id -un; id -u", "root\n0\n"],
  [
    "git",
    "git init -q g && cd g && git config user.email a@b && git config user.name a && touch f && git add f && git commit -qm m && git log --format=%s",
    "m\n",
  ],
  ["python venv", "python3 -m venv --without-pip v && v/bin/python -c 'print(6 * 7)'", "42\n"],
  [
    "pip from a directory",
    `mkdir -p p && cat > p/setup.py <<'X'
from setuptools import setup
setup(name="pp", version="1", py_modules=["pp"])
X
echo 'x = 7' > p/pp.py; python3 -m venv --system-site-packages --without-pip v2 && v2/bin/python -m pip install -q --no-build-isolation --no-index ./p >/dev/null 2>&1; v2/bin/python -c 'import pp; print(pp.x)'`,
    "7\n",
  ],
  [
    "npm i -g of an archive",
    `mkdir -p n && cd n && echo '{"name":"nn","version":"1.0.0","bin":"b.js"}' > package.json && printf '#!/usr/bin/env node\\nconsole.log(7)\\n' > b.js && npm pack -s >/dev/null && npm i -g --offline --no-audit -s ./nn-1.0.0.tgz >/dev/null; nn; which nn`,
    "7\n/usr/local/bin/nn\n",
  ],
  ["node and npx", "node -p 1+1; npx --version | grep -c .", "2\n1\n"],
  ["a pseudo-terminal", "script -qec 'tty' /dev/null | tr -d '\\r'", "/dev/pts/0\n"],
  [
    "writing where users install",
    "for d in /usr/local/bin /usr/local/lib /opt /root /home /var/lib /tmp /etc /srv /run; do touch $d/w || echo $d; done",
    "",
  ],
  ["its own accounts", "echo 'x:x:0:0::/:/bin/sh' >> /etc/passwd && getent passwd x | cut -d: -f1", "x\n"],
  [
    "loopback between processes",
    'node -e \'require("net").createServer(s => s.end("hi\\n")).listen(80, () => console.log("up"))\' > l & until grep -qs up l; do sleep 0.01; done; cat < /dev/tcp/127.0.0.1/80; kill $!',
    "hi\n",
  ],
  ["shared memory", "python3 -c 'import multiprocessing as m; print(m.Value(\"i\", 7).value)'", "7\n"],
  [
    "unpacking files of other owners",
    "touch o && tar -cf o.tar --owner=1000 --group=1000 o && rm o && tar -xf o.tar && ls o",
    "o\n",
  ],
  [
    "file locks, links and modes",
    "touch k && flock k true && ln k k2 && ln -s k k3 && chmod 600 k && stat -c %a k3 -L",
    "600\n",
  ],
  ["signalling its own processes", "sleep 9 & kill -STOP $! && kill -KILL $! && echo ok", "ok\n"],
  ["name lookups without a network", "getent hosts example.com | cut -c1-7", "198.18.\n"],
  [
    "an outgoing request, which is answered 503 until the Worker listens",
    "curl -sS -m 5 http://example.com/ | cut -c1-53",
    "The sandbox's network gateway is not available (the W\n",
  ],
] as const;

/** With SANDBOX_MCP_NESTED_NAMESPACES. */
const WORKS_WITHIN = [
  ["another user", "unshare --user --map-user=1000 id -u", "1000\n"],
  ["mounts", `${OWN_NAMESPACES} sh -c 'mount -t tmpfs none /mnt && findmnt -no FSTYPE /mnt'`, "tmpfs\n"],
  ["processes", "unshare --user --map-root-user --pid --fork --mount-proc sh -c 'ps -e --no-headers | wc -l'", "3\n"],
  ["a network", "unshare --user --map-root-user --net ip -o link | cut -d: -f2", " lo\n"],
] as const;

afterAll(removeHomes);

describe.each(users)("a machine of an engine run by %s", (user) => {
  let engine: EngineUnderTest;
  beforeAll(async () => {
    engine = await startEngine({ user });
    await engine.startMachine("a");
  });
  afterAll(() => engine.close());
  const run = (command: string) => engine.exec("a", command);

  it.each(INVISIBLE)("does not show %s", async (_title, command, output) => {
    expect((await run(command)).output).toBe(output);
  });

  it.each(REFUSED)("refuses %s", async (_title, command) => {
    expect((await run(verdict(command))).output).toBe("refused\n");
  });

  it.each(WORKS)("allows %s", async (_title, command, output) => {
    expect((await run(command)).output).toBe(output);
  });

  it.runIf(existsSync("/usr/bin/gcc"))("compiles and runs C", async () => {
    const source = '#include <stdio.h>\nint main() { puts("hello"); }\n';
    expect((await run(`printf '%s' '${source}' > h.c && gcc -o h h.c && ./h`)).output).toBe("hello\n");
  });

  it.runIf(existsSync("/usr/bin/apt-get"))("says that packages cannot be changed before apt's own error", async () => {
    const { code, output } = await run("apt-get install -y hello");
    expect(code).not.toBe(0);
    expect(output.split("\n")[0]).toMatch(/^This machine cannot change system packages: /);
    expect((await run("dpkg-query --version | head -1")).output).toContain("package management");
  });

  it("cannot reach what listens on the host's loopback", async () => {
    const server = createServer((socket) => socket.end("host"));
    const port = await new Promise<number>((resolve) => {
      server.listen(0, "127.0.0.1", () => resolve(Number(JSON.stringify(server.address()).match(/"port":(\d+)/)?.[1])));
    });
    expect((await run(verdict(`cat < /dev/tcp/127.0.0.1/${port}`))).output).toBe("refused\n");
    server.close();
  });

  it("shows nothing of another machine", async () => {
    await engine.startMachine("b");
    await run("echo mine > /workspace/mine; echo mine > /dev/shm/mine");
    expect((await engine.exec("b", "ls /workspace /dev/shm; pgrep -c sandbox-runner")).output).toBe(
      "/dev/shm:\n\n/workspace:\n1\n",
    );
  });

  it("runs as a user without rights on the host", async () => {
    const { output } = await run("awk '{ print $2 }' /proc/self/uid_map");
    const uid = Number(output);
    expect(uid).toBeGreaterThan(999);
    expect(uid === process.getuid?.() && uid === 0).toBe(false);
  });
});

describe.each(users)("a machine that may make namespaces of its own, of an engine run by %s", (user) => {
  let engine: EngineUnderTest;
  beforeAll(async () => {
    engine = await startEngine({ user, environment: { SANDBOX_MCP_NESTED_NAMESPACES: "1" } });
    await engine.startMachine("a");
  });
  afterAll(() => engine.close());

  it.each(REFUSED_WITHIN)("refuses %s", async (_title, command) => {
    expect((await engine.exec("a", verdict(command))).output).toBe("refused\n");
  });

  it.each(WORKS_WITHIN)("allows %s", async (_title, command, output) => {
    expect((await engine.exec("a", command)).output).toBe(output);
  });
});
