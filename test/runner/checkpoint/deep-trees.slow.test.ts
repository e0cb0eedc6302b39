// Trees that are deeper than Linux accepts paths for: checkpoints store and restore them like all others.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Layer, type MachineUnderTest, machineUnderTest } from "./machine-under-test.ts";

let machine: MachineUnderTest;
beforeAll(async () => {
  machine = await machineUnderTest();
});
beforeEach(() => renew());
afterAll(async () => {
  renew();
  await machine.stop();
});

/** The runner may still be removing what the last restore replaced. Only `rm` removes trees of this depth. */
function renew(): void {
  machine.sh("cd ..; until rm -rf workspace home state; do sleep 0.1; done 2>/dev/null; mkdir workspace home");
}

/** Perl that goes `levels` down in `top`, making what is missing, and runs `then` there. */
const at = (top: string, name: string, levels: number, then: string): string =>
  `perl -e 'my $n = "${name}"; mkdir "${top}"; chdir "${top}" or die; for (1..${levels}) { mkdir $n; chdir $n or die "$_: $!" } ${then}'`;
const write = (file: string, text: string) => `open(F, ">", "${file}") or die; print F "${text}"; close F;`;

/** Every path with its kind, mode, time and, but for directories, size and target; and what is in the files. */
const tree = (): string =>
  machine.sh(
    `find . "(" -type d -printf "%p d %m %T@\\0" -o -printf "%p %y %m %T@ %s %l\\0" ")" | sort -z | sha256sum; ` +
      "find . -type f -printf '%f ' -execdir sha256sum {} ';' | sort",
  );

async function restored(layers: readonly Layer[]): Promise<{ files: number; differing: number }> {
  renew();
  return machine.restore(layers);
}

async function take(parents: readonly Layer[]): Promise<Layer> {
  const layer = await machine.take(parents.map(({ id }) => id).reverse());
  if (layer === null) throw new Error("Nothing has changed");
  return layer;
}

const NAMES = [
  ["10,000 levels of short names", "d", 10_000],
  ["100 levels of names of 255 bytes that are not UTF-8", `\\xfe\\xff${"x".repeat(253)}`, 100],
] as const;

describe.each(NAMES)("a checkpoint of %s", (_title, name, levels) => {
  it("brings back everything, also as several layers", async () => {
    machine.sh(`echo top > file; ${at("deep", name, levels, `${write("bottom", "first")} symlink("bottom", "link")`)}`);
    machine.sh(at("deep", name, Math.floor(levels / 2), `${write("half way", "half")} chmod 0640, "half way"`));
    const base = await take([]);
    const first = tree();
    expect(await restored([base])).toMatchObject({ differing: 0 });
    expect(tree()).toEqual(first);

    machine.sh(at("deep", name, levels, `${write("bottom", "second")} unlink "link"; ${write("more", "more")}`));
    const changed = await take([base]);
    const second = tree();
    expect(second).not.toEqual(first);
    expect(await restored([base, changed])).toMatchObject({ differing: 0 });
    expect(tree()).toEqual(second);

    machine.sh("rm -rf deep; echo changed > file");
    const removed = await take([base, changed]);
    expect(await restored([base, changed, removed])).toMatchObject({ differing: 0 });
    expect(machine.sh("ls; cat file")).toBe("file\nchanged\n");
    expect(await restored([base])).toMatchObject({ differing: 0 });
    expect(tree()).toEqual(first);
  });
});
