// A restore into an empty machine brings back exactly what the checkpoint was taken of.

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Layer, type MachineUnderTest, machineUnderTest } from "./machine-under-test.ts";

let machine: MachineUnderTest;
beforeAll(async () => {
  machine = await machineUnderTest();
});
beforeEach(() => machine.renew());
afterAll(() => machine.stop());

/** Takes a layer after each script, removes everything, restores, and compares. */
async function roundTrip(...scripts: string[]): Promise<Layer[]> {
  const layers: Layer[] = [];
  for (const script of scripts) {
    machine.sh(script);
    const layer = await machine.take(layers.map(({ id }) => id).reverse());
    if (layer !== null) layers.push(layer);
  }
  const before = machine.tree();
  machine.renew();
  expect(await machine.restore(layers)).toMatchObject({ differing: 0 });
  expect(machine.tree()).toEqual(before);
  return layers;
}

const old = "touch -h -d '2020-02-03 04:05:06.123456789'";

const exact: [string, ...string[]][] = [
  ["modes and setuid bits", "for m in 0 400 644 755 4755 2755 1777 7777; do echo $m > f$m; chmod $m f$m; done"],
  ["times to the nanosecond", `mkdir d; echo x > d/f; ln -s f d/l; ${old} d/f d/l d .`],
  ["symlinks of every kind", "ln -s /etc/passwd a; ln -s ../../.. b; ln -s nowhere c; ln -s . d; ln -s $'bad\\xff' e"],
  ["hard links, across directories too", "mkdir d; echo x > a; ln a b; ln a d/c; ln a ../home/d"],
  ["empty directories", "mkdir -p a/b/c; chmod 700 a/b; mkdir e; chmod 1777 e"],
  ["sparse files", "truncate -s 30M big; echo end >> big; truncate -s 30M hole"],
  [
    "names that are no UTF-8, and other strange ones",
    "touch $'bad\\xff\\xfe' $'new\\nline' $'tab\\t1' tab -- '-x' '--' ' ' '*' '\\\\' 'é' $'\\r'; mkdir -p 'x//y' ./-d; touch ./-d/-f",
  ],
  [
    "nested repositories",
    "git init -q a && cd a && git -c user.name=n -c user.email=e commit -q --allow-empty -m x && git init -q b && touch b/f",
  ],
  ["fifos", "mkfifo p; chmod 600 p"],
  ["owners", "touch a; mkdir d; ln -s a l; chown 1000:1001 a d; chown -h 12:13 l"],
  ["the mode of the kept directories", "chmod 1770 .; chmod 711 ../home"],
  [
    "a file that is edited",
    "echo 1 > a; echo 1 > b; mkdir d; touch d/f; touch -d 2001-01-01 d",
    "echo 2 > a; echo 2 > d/f",
  ],
  ["deleted files and directories", "mkdir -p d/e; touch a d/b d/e/c; echo > k", "rm -r a d/e", "rm -r d"],
  [
    "a file in place of a directory, and back",
    "mkdir -p a/b; touch a/b/c; echo f > f",
    "rm -r a; echo a > a; rm f; mkdir -p f/g",
    "rm a; mkdir a; touch a/n; rm -r f; touch f",
  ],
  ["a link in place of a directory, and back", "mkdir -p a/b; touch a/b/c", "mv a z; ln -s z a", "rm a; mv z a"],
  ["a hard link made later, and one removed", "echo x > a; echo y > c; ln c d", "ln a b; rm d"],
  ["a mode alone", "mkdir d; touch a d/f", "chmod 600 a; chmod 700 d"],
  ["a time alone", "mkdir d; touch a d/f", `${old} a d`],
  ["a renamed directory", "mkdir -p a/b; for i in 1 2 3; do echo $i > a/b/$i; done", "mv a c; mkdir a; echo > a/x"],
  [
    "names that sort about the slash",
    "mkdir -p a a-b 'a b' a0; touch a/-x 'a/ y' a-b/c 'a b/d' a0/e",
    "touch a/-x a/n; rm a0/e; mkdir a/.d",
  ],
  [
    "strange names removed",
    "touch $'bad\\xff' keep; mkdir $'d\\xfe'; touch $'d\\xfe/f'",
    "rm -r $'bad\\xff' $'d\\xfe'",
  ],
  ["everything removed", "mkdir -p a/b; touch a/b/c ../home/x", "rm -r a ../home/x"],
  [
    "extended attributes",
    'touch a; mkdir d; python3 -c \'import os; os.setxattr("a", "user.k", b"v"); os.setxattr("d", "user.k", b"w")\'',
  ],
];

test.each(exact)("%s", async (_, ...scripts) => {
  await roundTrip(...scripts);
});

test("checkpoint-restore restores extended attributes", async () => {
  await roundTrip('touch a; python3 -c \'import os; os.setxattr("a", "user.k", b"v")\'');
  expect(machine.sh('python3 -c \'import os; print(os.getxattr("a", "user.k"))\'')).toBe("b'v'\n");
});

test("checkpoint-create stores no bytes for the holes of sparse files", async () => {
  const [layer] = await roundTrip("truncate -s 50M hole; echo end >> hole");
  expect(layer?.bytes.length).toBeLessThan(10_000);
  expect(Number(machine.sh("stat -c %b hole"))).toBeLessThan(100);
});

test("checkpoint-create leaves out sockets and devices", async () => {
  machine.sh("touch a; mknod zero c 1 5; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"s\")'");
  const layer = await machine.take([]);
  machine.renew();
  await machine.restore(layer === null ? [] : [layer]);
  expect(machine.sh("ls")).toBe("a\n");
});
