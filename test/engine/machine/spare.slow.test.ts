// The machine made ahead of need: it is given away once, to a caller with the same environment, and replaced.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { type EngineUnderTest, processesOf, removeHomes, startEngine, until } from "../engine-under-test.ts";

let engine: EngineUnderTest;
afterEach(() => engine.close());
afterAll(removeHomes);

/** The directories of the machines that exist. Machines are numbered in the order in which they are made. */
const machines = (): string[] => {
  const [run] = readdirSync(engine.stateDir).filter((name) => name.startsWith("run-"));
  return readdirSync(join(engine.stateDir, String(run), "machines")).sort();
};
/** Each machine has three processes once its runner is started. */
const spareIsUp = (number: number) =>
  until(
    () => machines().includes(`m${number}`) && processesOf(engine).length >= 3 * machines().length,
    `machine ${number} is up`,
  );
const run = (name: string, command = "cat /workspace/who") => engine.exec(name, command);

/** When process 1 of the machine was started, in clock ticks since the host's boot. */
const startTicksOf = async (name: string): Promise<number> =>
  Number((await run(name, "cut -d ' ' -f 22 /proc/1/stat")).output);
/** 100 ticks are a second. */
const ticksNow = (): number => Math.round(Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]) * 100);
/** Resolves in the tick after this one, so that what runs now was started in an earlier one. */
async function nextTick(): Promise<number> {
  const now = ticksNow();
  await until(() => ticksNow() > now, "the clock ticks");
  return ticksNow();
}

describe("a spare machine", () => {
  it("is given away once and replaced", async () => {
    engine = await startEngine();
    await engine.startMachine("a", { KIND: "x" });
    await spareIsUp(2);
    const askedAt = await nextTick();
    await Promise.all(["b", "c", "d"].map((name) => engine.startMachine(name, { KIND: "x" })));
    // One of the three is the spare, and the other two are new; none sees files of another.
    const madeAt = await Promise.all(["b", "c", "d"].map(startTicksOf));
    expect(madeAt.filter((ticks) => ticks < askedAt)).toHaveLength(1);
    await Promise.all(["a", "b", "c", "d"].map((name) => run(name, `echo ${name} >> /workspace/who`)));
    const seen = await Promise.all(["a", "b", "c", "d"].map(async (name) => (await run(name)).output));
    expect(seen).toEqual(["a\n", "b\n", "c\n", "d\n"]);
    await spareIsUp(5);
  });

  it("is not given to a caller with another environment", async () => {
    engine = await startEngine();
    await engine.startMachine("a", { KIND: "x" });
    await spareIsUp(2);
    await engine.startMachine("b", { KIND: "y" });
    expect((await engine.exec("b", "echo $KIND")).output).toBe("y\n");
    expect(machines()).toContain("m3");
    // The next spare is for the newer environment; the old one ends.
    await until(() => machines().includes("m4") && !machines().includes("m2"), "the spare is replaced");
  });

  it("is not given away when it has ended", async () => {
    engine = await startEngine();
    await engine.startMachine("a");
    await until(() => processesOf(engine).length >= 6, "three processes of each machine run");
    // `kill` reports an error where one process ended because of another.
    spawnSync("kill", ["-9", ...processesOf(engine)]);
    await until(() => machines().length === 0, "both machines are gone");
    await engine.startMachine("b");
    expect((await engine.exec("b", "echo alive")).output).toBe("alive\n");
  });

  it("is made when a later engine starts", async () => {
    engine = await startEngine();
    await engine.startMachine("a", { KIND: "x" });
    await spareIsUp(2);
    await until(() => existsSync(join(engine.stateDir, "spare-environment.json")), "the environment is kept");
    engine.signal("SIGTERM");
    await engine.exited;
    engine = await startEngine({ keepSpare: true });
    await spareIsUp(1);
    const askedAt = await nextTick();
    await engine.startMachine("b", { KIND: "x" });
    expect(await startTicksOf("b")).toBeLessThan(askedAt);
    expect((await engine.exec("b", "echo $KIND")).output).toBe("x\n");
  });
});
