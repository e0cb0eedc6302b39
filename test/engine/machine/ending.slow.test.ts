// However a machine or an engine ends, this is noticed at once and nothing remains: no process, mount, control group or file.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import {
  type EngineUnderTest,
  homeOf,
  isAlive,
  processesOf,
  removeHomes,
  startEngine,
  until,
  users,
} from "../engine-under-test.ts";

let engine: EngineUnderTest;
afterEach(() => engine.close());
afterAll(removeHomes);

const waitFor = async (name: string) => (await engine.api("POST", `/containers/${name}/wait`)).body;
const machinesOnDisk = (): string[] =>
  readdirSync(engine.stateDir)
    .filter((name) => name.startsWith("run-"))
    .flatMap((run) => readdirSync(join(engine.stateDir, run, "machines")));

/** The mounts of the host that have a path of the engine. */
const mountsOf = (under: EngineUnderTest): string[] =>
  readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .filter((line) => line.includes(homeOf(under).replaceAll(" ", "\\040")));

/** The control groups of all engines, in every hierarchy. */
const groups = (): string =>
  execFileSync("find", ["/sys/fs/cgroup", "-name", "sandbox-mcp-run-*"], { encoding: "utf8" });

const groupsOf = (pid: number): string[] =>
  groups()
    .split("\n")
    .filter((path) => path.includes(`run-${pid}-`));

describe.each(users)("with an engine run by %s", (user) => {
  it("leaves nothing behind when the engine is told to stop", async () => {
    engine = await startEngine({ user });
    await engine.startMachine("a");
    await engine.startMachine("b");
    await engine.exec(
      "a",
      "mkdir -p d/e && touch d/e/f && chmod 000 d/e d; (sleep 300 & setsid sleep 300 &) >/dev/null 2>&1",
    );
    const processes = processesOf(engine);
    expect(processes.length).toBeGreaterThan(7);
    engine.signal("SIGTERM");
    // It would be 1 if anything had taken too long.
    expect(await engine.exited).toBe(0);
    expect(processes.filter(isAlive)).toEqual([]);
    expect(groupsOf(engine.pid)).toEqual([]);
    expect(readdirSync(engine.stateDir).filter((name) => name.startsWith("run-"))).toEqual([]);
    expect(mountsOf(engine)).toEqual([]);
  });

  it("ends all machines when the engine is killed, and the next one starts clean", async () => {
    engine = await startEngine({ user });
    await engine.startMachine("a");
    await engine.exec("a", "(setsid sleep 300 &) >/dev/null 2>&1");
    const first = engine;
    const processes = processesOf(engine);
    expect(processes.length).toBeGreaterThan(3);
    engine.signal("SIGKILL");
    await engine.exited;
    await until(() => !processes.some(isAlive), "every process of the machine is gone");
    engine = await startEngine({ user });
    await engine.startMachine("a");
    expect((await engine.exec("a", "echo again")).output).toBe("again\n");
    await until(
      () => readdirSync(engine.stateDir).filter((name) => name.startsWith("run-")).length === 1,
      "old files are gone",
    );
    expect(groupsOf(first.pid)).toEqual([]);
  });

  it("is replaced by the next engine, which waits for it to end", async () => {
    const first = await startEngine({ user });
    const runs = () => readdirSync(first.stateDir).filter((name) => name.startsWith("run-")).length;
    const second = startEngine({ user });
    await until(() => runs() === 2, "the second is about to listen");
    first.signal("SIGKILL");
    engine = await second;
    await engine.startMachine("a");
    expect((await engine.exec("a", "echo fine")).output).toBe("fine\n");
  });

  it.each([
    ["its runner is killed", "kill -9 $PPID", 137],
    ["everything inside is killed", "kill -9 -1", 137],
    ["its runner is terminated", "kill $PPID", 143],
  ])("sees a machine as dead at once when %s", async (_title, command, code) => {
    engine = await startEngine({ user });
    await engine.startMachine("a");
    const exited = waitFor("a");
    await engine.exec("a", `sleep 0.1; ${command}`).catch(() => undefined);
    expect(await exited).toEqual({ StatusCode: code });
    expect((await engine.api("GET", "/containers/a/json")).body).toMatchObject({
      State: { Running: false, ExitCode: code },
    });
    await until(() => !machinesOnDisk().includes("m1"), "the files are gone");
  });

  it("removes files that even their owner cannot enter", async () => {
    engine = await startEngine({ user });
    await engine.startMachine("a");
    await engine.exec("a", "mkdir -p d/e/f && touch d/e/f/g && chmod 000 d/e/f d/e d /workspace");
    expect((await engine.api("DELETE", "/containers/a?force=true")).status).toBe(204);
    await until(() => !machinesOnDisk().includes("m1"), "the files are gone");
  });

  it("never follows a link of the machine when it removes files", async () => {
    engine = await startEngine({ user });
    await engine.startMachine("a");
    await engine.exec("a", `ln -s '${homeOf(engine)}' link; rm -rf /home && ln -s '${homeOf(engine)}' /home`);
    await engine.api("DELETE", "/containers/a?force=true");
    await until(() => !machinesOnDisk().includes("m1"), "the files are gone");
    expect(existsSync(join(homeOf(engine), "stub-runner.mjs"))).toBe(true);
  });
});

describe("process 1", () => {
  it("reaps 200 orphans", async () => {
    engine = await startEngine();
    await engine.startMachine("a");
    await engine.exec("a", "for i in $(seq 200); do (true & sleep 0.01 & ) ; done");
    const zombies = async () => (await engine.exec("a", "grep -l '^State:.Z' /proc/[0-9]*/status | wc -l")).output;
    await until(async () => (await zombies()) === "0\n", "no zombies");
    expect((await engine.exec("a", "ls -d /proc/[0-9]* | wc -l")).output).toMatch(/^[3-6]\n$/);
  });

  it("cannot be ended from inside", async () => {
    engine = await startEngine();
    await engine.startMachine("a");
    await engine.exec("a", "for s in 1 2 3 6 9 11 13 14 15 19; do kill -$s 1; done");
    expect((await engine.exec("a", "echo alive")).output).toBe("alive\n");
  });

  it("survives commands that kill every Node process", async () => {
    engine = await startEngine();
    await engine.startMachine("a");
    await engine.exec("a", "pkill node; killall -q node; pkill -f 'node .*server'");
    expect((await engine.exec("a", "echo alive")).output).toBe("alive\n");
  });
});
