// What one machine can take of the host's disk: its own disk bounds its bytes and its files, gives back what is deleted, and
// is gone with the machine. All machines together leave a part of the host's disk free.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { HOST_RESERVE_SHARE } from "../../../container/engine/limits.ts";
import {
  type EngineUnderTest,
  homeOf,
  isRoot,
  processesOf,
  removeHomes,
  startEngine,
  until,
} from "../engine-under-test.ts";

const MIB = 1024 ** 2;
let engine: EngineUnderTest;
afterEach(() => engine.close());
afterAll(removeHomes);

const start = (mebibytes: number) => startEngine({ environment: { SANDBOX_MCP_DISK_MB: String(mebibytes) } });
const run = async (machine: string, command: string) => (await engine.exec(machine, command)).output.trim();

/** What the images of all machines take on the host. */
function imageBytes(): number {
  const [runDirectory = ""] = readdirSync(engine.stateDir).filter((name) => name.startsWith("run-"));
  const disks = join(engine.stateDir, runDirectory, "disks");
  const blocks = readdirSync(disks)
    .filter((name) => name.endsWith(".image"))
    .map((name) => statSync(join(disks, name)).blocks);
  return blocks.reduce((sum, count) => sum + count * 512, 0);
}

/** The loop devices whose image is in the engine's directory, also where the image is deleted. */
const loopDevices = (under: EngineUnderTest): string[] =>
  readdirSync("/sys/block").filter((name) => {
    try {
      return readFileSync(`/sys/block/${name}/loop/backing_file`, "utf8").startsWith(homeOf(under));
    } catch {
      return false;
    }
  });

describe.runIf(isRoot)("the disk of a machine", () => {
  it.each(["/workspace", "/tmp", "/root", "/var/tmp", "/usr/local/lib", "/usr/lib", "/etc", "/run/sandbox"])(
    "bounds what is written to %s, and is free again when that is deleted",
    async (directory) => {
      engine = await start(64);
      await engine.startMachine("a");
      const fill = `dd if=/dev/urandom of=${directory}/big bs=1M count=200 2>&1; stat -c %s ${directory}/big`;
      const [, written] = /No space left on device[\s\S]*\n(\d+)$/.exec(await run("a", fill)) ?? [];
      expect(Number(written)).toBeGreaterThan(56 * MIB);
      expect(Number(written)).toBeLessThan(65 * MIB);
      await run("a", "sync");
      expect(imageBytes()).toBeGreaterThan(56 * MIB);
      expect(await run("a", `rm ${directory}/big && echo fine > ${directory}/f && cat ${directory}/f`)).toBe("fine");
      await until(async () => {
        await run("a", "sync");
        return imageBytes() < 8 * MIB;
      }, "the host has the space of what was deleted");
    },
  );

  it("bounds the number of files", async () => {
    engine = await start(16);
    await engine.startMachine("a");
    const fill = "mkdir many; cd many; seq 100000 | xargs touch 2>&1 | tail -1; ls | wc -l";
    const output = await run("a", fill);
    expect(output).toContain("No space left on device");
    const files = Number(output.split("\n").at(-1));
    expect(files).toBeGreaterThan(3_000);
    expect(files).toBeLessThan(5_000);
    expect(await run("a", "rm -r many; echo fine > f; cat f")).toBe("fine");
  });

  it("keeps room for the runner's logs and archives apart from everything else", async () => {
    engine = await start(64);
    await engine.startMachine("a");
    await run("a", "cat /dev/zero > /workspace/big");
    for (const directory of ["/var/log/sandbox", "/var/lib/sandbox-archives"]) {
      expect(await run("a", `head -c 20M /dev/zero > ${directory}/own && stat -c %s ${directory}/own`)).toBe(
        String(20 * MIB),
      );
    }
    expect(await run("a", "cat /dev/zero > /var/log/sandbox/big; rm /workspace/big; echo fine > f; cat f")).toContain(
      "fine",
    );
  });

  it("cannot be seen or reached as a file or device in the machine", async () => {
    engine = await start(64);
    await engine.startMachine("a");
    expect(await run("a", "ls /dev | grep -E 'loop|vd|sd'; find / -xdev -name '*.image' -o -name balloon")).toBe("");
    expect(await run("a", "mount -o remount,rw,suid / 2>&1; umount / 2>&1; losetup -a; echo $?")).toMatch(
      /(permission denied|must be superuser)[\s\S]*0$/i,
    );
  });

  it("is gone with the machine, at once, whatever is on it", async () => {
    engine = await start(64);
    await engine.startMachine("a");
    await run("a", 'perl -e \'for (1..10000) { mkdir "d"; chdir "d" or die }\'; echo done; seq 3000 | xargs touch');
    await run("a", "sh -c 'exec 5>/workspace/held; sleep 300' >/dev/null 2>&1 & cat /dev/zero > /workspace/big");
    expect((await engine.api("DELETE", "/containers/a?force=true")).status).toBe(204);
    expect((await engine.api("DELETE", "/containers/a-proxy?force=true")).status).toBe(204);
    await until(() => imageBytes() < 8 * MIB, "the images are removed");
  });

  it("leaves no loop device when the engine is killed", async () => {
    engine = await start(64);
    await engine.startMachine("a");
    await run("a", "echo x > /workspace/x; (setsid sleep 300 &) >/dev/null 2>&1");
    expect(loopDevices(engine).length).toBeGreaterThanOrEqual(2);
    const killed = engine;
    const processes = processesOf(killed);
    engine.signal("SIGKILL");
    await engine.exited;
    await until(() => loopDevices(killed).length === 0, "no loop device is left");
    expect(processes.length).toBeGreaterThan(0);
    engine = await start(64);
    await engine.startMachine("a");
    expect(await run("a", "ls /workspace")).toBe("");
  });

  it("does not stop other machines from writing when one is full", async () => {
    engine = await start(64);
    await engine.startMachine("full");
    await engine.startMachine("other");
    const filling = engine.exec("full", "while :; do cat /dev/zero > big; rm big; done");
    filling.catch(() => undefined);
    for (let n = 0; n < 20; n++) expect(await run("other", `echo ${n} > f && sync f && cat f`)).toBe(String(n));
  });
});

describe.runIf(isRoot)("the disks of all machines", () => {
  const host = mkdtempSync("/tmp/engine-host-");
  afterAll(() => rmSync(host, { recursive: true, force: true }));

  it("leave a part of the host's disk free, and a machine that would have too little is refused", async () => {
    engine = await start(64);
    const state = `${homeOf(engine)}/state`;
    await engine.close();
    execFileSync("sh", ["-ec", `truncate -s 400M ${host}/image && mkfs.ext4 -q -m 0 ${host}/image`]);
    engine = await startEngine({
      environment: { SANDBOX_MCP_DISK_MB: "8192" },
      hostMounts: `mount -o loop '${host}/image' '${state}'; chmod 711 '${state}'`,
    });
    const stateInside = `/proc/${engine.pid}/root${state}`;
    const freeShare = (): number => {
      const { blocks, bavail } = statfsSync(stateInside);
      return bavail / blocks;
    };
    await engine.startMachine("a");
    const available = async () => Number(await run("a", "df --output=avail -B1 / | tail -1"));
    const alone = await available();
    expect(alone).toBeLessThan(400 * MIB);
    expect(alone).toBeGreaterThan(60 * MIB);
    // Another share begins where the host has more to give, so it may go on after the first refusal.
    const fill = "for i in 1 2 3; do cat /dev/urandom >> big; sync; sleep 1; done 2>&1";
    expect(await run("a", fill)).toContain("No space left on device");
    expect(freeShare()).toBeGreaterThan(HOST_RESERVE_SHARE * 0.9);
    await engine.startMachine("b").catch(() => undefined);
    await run("a", "sync");
    expect(freeShare()).toBeGreaterThan(HOST_RESERVE_SHARE * 0.9);
    await run("a", "rm big; sync");
    await until(async () => (await available()) > 30 * MIB, "the machine has its share again");
    const more = ["c", "d", "e", "f", "g", "h"];
    const starts = await Promise.allSettled(more.map((name) => engine.startMachine(name)));
    const refused = starts.filter((result) => result.status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
    expect(String(refused[0]?.reason)).toMatch(
      /The host's disk is full: \d+ MiB would be left for each of \d+ machines\. Free some space/,
    );
  });
});
