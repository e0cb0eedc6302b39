// The machine made ahead of need: handed out once, to whom it fits, and replaced.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { type EngineUnderTest, processesOf, removeHomes, startEngine, until } from "../engine-under-test.ts";

let engine: EngineUnderTest;
afterEach(() => engine.close());
afterAll(removeHomes);

/** Machines are numbered as they are made; a directory is there as long as its machine. */
const machines = (): string[] => {
  const [run] = readdirSync(engine.stateDir).filter((name) => name.startsWith("run-"));
  return readdirSync(join(engine.stateDir, String(run), "machines")).sort();
};
const spareIsUp = (number: number) => until(() => machines().includes(`m${number}`), `machine ${number} is made`);
const run = (name: string, command = "cat /workspace/who") => engine.exec(name, command);

describe("a spare machine", () => {
  it("is handed out once and replaced", async () => {
    engine = await startEngine();
    await engine.startMachine("a", { KIND: "x" });
    await spareIsUp(2);
    await Promise.all(["b", "c", "d"].map((name) => engine.startMachine(name, { KIND: "x" })));
    // One took the spare, the other two were made for their callers; all are strangers to each other.
    expect(machines()).toEqual(["m1", "m2", "m3", "m4"]);
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

  it("is not handed out when it has died", async () => {
    engine = await startEngine();
    await engine.startMachine("a");
    await until(() => processesOf(engine).length >= 6, "three processes of each machine run");
    // Some are gone as soon as others are killed.
    spawnSync("kill", ["-9", ...processesOf(engine)]);
    await until(() => machines().length === 0, "both machines are gone");
    await engine.startMachine("b");
    expect((await engine.exec("b", "echo alive")).output).toBe("alive\n");
  });

  it("is there when an engine starts after another", async () => {
    engine = await startEngine();
    await engine.startMachine("a", { KIND: "x" });
    await spareIsUp(2);
    await until(() => existsSync(join(engine.stateDir, "spare-environment.json")), "the environment is kept");
    engine.signal("SIGTERM");
    await engine.exited;
    engine = await startEngine({ keepSpare: true });
    await spareIsUp(1);
    await engine.startMachine("b", { KIND: "x" });
    expect(machines()).toEqual(["m1"]);
    expect((await engine.exec("b", "echo $KIND")).output).toBe("x\n");
  });
});
