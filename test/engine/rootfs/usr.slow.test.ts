// What root of a machine can do to `/usr`: whatever people and installers do, without any effect on the host or other machines.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type EngineUnderTest, isRoot, removeHomes, startEngine, users } from "../engine-under-test.ts";

const SCRIPT = "printf '#!/bin/sh\\necho mine\\n' > mine; chmod 755 mine";
const MAKEFILE = `PREFIX = /usr/local
install:
\tinstall -D mine $(PREFIX)/bin/made
\tinstall -D mine $(PREFIX)/lib/pkgconfig/made.pc
\tinstall -D mine $(PREFIX)/include/made/made.h
\tinstall -D mine $(PREFIX)/share/man/man1/made.1
\tinstall -D mine $(PREFIX)/share/doc/made/copyright
`;

/** Each row has a title, a command, and everything that the command prints. */
const CHANGES = [
  [
    "adding files wherever installers do",
    "cd /usr; for d in . bin sbin lib include share share/man/man1 share/doc libexec src games; do mkdir -p $d && touch $d/x || echo $d; done",
    "",
  ],
  [
    "running what was added",
    `${SCRIPT}; install mine /usr/bin/new && new; rm /usr/bin/new; ls /usr/bin | grep -cx new`,
    "mine\n0\n",
  ],
  ["putting a link", "ln -sf python3 /usr/bin/python && python -c 'print(7)'", "7\n"],
  ["deleting a program", "rm /usr/bin/tac && tac 2>&1 | sed 's/.*: //'", "command not found\n"],
  ["making a directory in its place", "mkdir /usr/bin/tac && ls -A /usr/bin/tac", ""],
  ["replacing a program by install", `${SCRIPT}; install mine /usr/bin/nl && nl`, "mine\n"],
  ["replacing a program by cp -f", `${SCRIPT}; cp -f mine /usr/bin/fold && fold`, "mine\n"],
  ["replacing a program by mv", `${SCRIPT}; mv -f mine /usr/bin/tsort && tsort`, "mine\n"],
  [
    "replacing a program by an archive",
    `${SCRIPT}; mv mine paste; tar -cf p.tar paste; tar -C /usr/bin -xf p.tar; paste`,
    "mine\n",
  ],
  ["editing a script", "sed -i '1a echo mine; exit' /usr/bin/ldd && ldd", "mine\n"],
  // In a machine the host's programs belong to the user "nobody". Giving one to root would take a copy of it.
  [
    "all but writing into a program of the host",
    `${SCRIPT}; cp mine /usr/bin/expand 2>&1 | sed 's/.*: //'`,
    "Permission denied\n",
  ],
  ["make install", `${SCRIPT}; printf '%s' '${MAKEFILE}' > Makefile; make -s install PREFIX=/usr && made`, "mine\n"],
  [
    "a module for the system's Python",
    "d=$(ls -d /usr/lib/python3/*-packages || echo /usr/lib/python3*/site-packages); echo x=7 > $d/mm.py; /usr/bin/python3 -c 'import mm; print(mm.x)'",
    "7\n",
  ],
] as const;

/** The host's files and directories that the rows change. */
const AFFECTED = [
  ...[
    "/usr",
    "/usr/bin",
    "/usr/sbin",
    "/usr/lib",
    "/usr/include",
    "/usr/share",
    "/usr/share/doc",
    "/usr/share/man/man1",
  ],
  ...[
    "/usr/bin/x",
    "/usr/lib/x",
    "/usr/share/x",
    "/usr/bin/new",
    "/usr/bin/python",
    "/usr/bin/made",
    "/usr/include/made",
  ],
  ...["tac", "nl", "fold", "tsort", "paste", "ldd", "expand"].map((name) => `/usr/bin/${name}`),
];
const listing = (): string =>
  spawnSync(
    "sh",
    [
      "-c",
      'ls -ldn --time-style=full-iso "$@" 2>&1; cd /usr/bin; cksum tac nl fold tsort paste ldd expand',
      "sh",
      ...AFFECTED,
    ],
    {
      encoding: "utf8",
    },
  ).stdout;

afterAll(removeHomes);

describe.each(users)("/usr in a machine of an engine run by %s", (user) => {
  const before = listing();
  let engine: EngineUnderTest;
  let isOverlay = false;
  beforeAll(async () => {
    engine = await startEngine({ user });
    await engine.startMachine("a");
    isOverlay = (await kindOfUsr(engine)) === "overlayfs";
  });
  afterAll(() => engine.close());

  it.for(CHANGES)("allows %s", async ([title, command, output], { skip }) => {
    skip(!isOverlay, "overlays do not work here");
    skip(title === "make install" && !existsSync("/usr/bin/make"), "make is missing");
    expect((await engine.exec("a", command)).output).toBe(output);
  });

  it("is as it was on the host and in another machine", async ({ skip }) => {
    skip(!isOverlay, "overlays do not work here");
    expect(listing()).toBe(before);
    await engine.startMachine("b");
    expect((await engine.exec("b", "ls -A /usr/bin/x /usr/bin/made 2>/dev/null; echo 1 | tac")).output).toBe("1\n");
  });
});

const kindOfUsr = async (engine: EngineUnderTest): Promise<string> =>
  (await engine.exec("a", "stat -f -c %T /usr")).output.trim();

describe.runIf(isRoot)("/usr where an overlay", () => {
  let engine: EngineUnderTest;
  afterEach(() => engine.close());

  it.each([
    ["would show what a mount of the host hides", "mount -t tmpfs none /usr/share/man"],
    [
      "cannot be on the state directory's file system",
      'mkdir "$HOME/o" && mount -t tmpfs none "$HOME/o" && cd "$HOME/o" && mkdir u w && mount -t overlay -o lowerdir=/usr/share/man,upperdir=u,workdir=w none "$HOME/state"',
    ],
  ])("%s is read-only", async (_title, hostMounts) => {
    engine = await startEngine({ hostMounts });
    await engine.startMachine("a");
    expect(await kindOfUsr(engine)).not.toBe("overlayfs");
    expect((await engine.exec("a", "touch /usr/bin/x 2>&1 | sed 's/.*: //'")).output).toBe("Read-only file system\n");
    expect((await engine.exec("a", "touch /usr/local/bin/x && ls /usr/local/bin/x")).output).toBe("/usr/local/bin/x\n");
  });
});
