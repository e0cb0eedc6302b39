// What one machine can use of the host. Processes are bounded everywhere, the memory of a machine where there are control groups.

import { chownSync, existsSync, mkdirSync, rmdirSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type EngineUnderTest,
  isRoot,
  ORDINARY_UID,
  processesIn,
  removeHomes,
  startEngine,
  until,
  users,
} from "../engine-under-test.ts";

/** Whether the memory of whole machines is bounded: by root where a hierarchy for memory is mounted. */
const hasMemoryGroups =
  isRoot &&
  (existsSync("/sys/fs/cgroup/memory/memory.limit_in_bytes") || existsSync("/sys/fs/cgroup/cgroup.subtree_control"));

let engine: EngineUnderTest;
afterEach(() => engine.close());
afterAll(removeHomes);

describe.each(users)("with an engine run by %s", (user) => {
  it("bounds a fork bomb, without an effect on other machines", async () => {
    engine = await startEngine({ user, environment: { SANDBOX_MCP_PIDS: "100" } });
    await engine.startMachine("bomb");
    await engine.startMachine("other");
    // Only the processes of this machine count: the engine makes a spare one at the same time.
    const namespace = (await engine.exec("bomb", "readlink /proc/self/ns/pid")).output.trim();
    const before = processesIn(engine, namespace).length;
    expect(before).toBeGreaterThan(0);
    const bomb = engine
      .exec("bomb", "f() { f | f & }; f >/dev/null 2>&1; while :; do sleep 0.01; done")
      .catch(() => undefined);
    await until(() => processesIn(engine, namespace).length - before > 60, "the bomb went off");
    expect(processesIn(engine, namespace).length - before).toBeLessThan(120);
    expect((await engine.exec("other", "echo fine")).output).toBe("fine\n");
    expect((await engine.api("DELETE", "/containers/bomb?force=true")).status).toBe(204);
    expect(processesIn(engine, namespace)).toEqual([]);
    await bomb;
  });

  it("bounds the memory of a process", async () => {
    engine = await startEngine({
      user,
      environment: { SANDBOX_MCP_MEMORY_MB: hasMemoryGroups && user === "root" ? "300" : "1100" },
    });
    await engine.startMachine("a");
    const { code, output } = await engine.exec("a", "exec python3 -c 'print(len(bytearray(1500 << 20)))' 2>/dev/null");
    expect(output).toBe("");
    expect([1, "SIGKILL"]).toContain(code);
    expect((await engine.exec("a", "python3 -c 'print(len(bytearray(50 << 20)))'")).output).toBe(`${50 << 20}\n`);
  });
});

const MEMORY_V1 = "/sys/fs/cgroup/memory";

/** Runs programs that take 480 MiB together; how many of them the kernel ended. */
async function endedHogs(): Promise<number> {
  const hog = "python3 -c 'x = b\"x\" * (120 << 20); import time; time.sleep(2)' & ";
  const { output } = await engine.exec(
    "a",
    `${hog.repeat(4)} fail=0; for j in $(jobs -p); do wait $j || fail=$((fail+1)); done; echo $fail`,
  );
  return Number(output.trim().split("\n").at(-1));
}

describe.runIf(isRoot && existsSync(`${MEMORY_V1}/cgroup.procs`))(
  "in a group that was given to an ordinary user",
  () => {
    const group = `${MEMORY_V1}/given-${process.pid}`;
    beforeAll(() => {
      mkdirSync(group);
      for (const path of [group, `${group}/cgroup.procs`]) chownSync(path, ORDINARY_UID, ORDINARY_UID);
    });
    afterAll(() => rmdirSync(group));

    it("bounds all processes of a machine together", async () => {
      const within = ["sh", "-c", `echo 0 >${group}/cgroup.procs; exec "$@"`, "sh"];
      engine = await startEngine({ user: "ordinary", within, environment: { SANDBOX_MCP_MEMORY_MB: "300" } });
      expect(engine.stderr.join("")).not.toContain("Memory is limited for each process");
      await engine.startMachine("a");
      expect(await endedHogs()).toBeGreaterThan(0);
    });
  },
);

describe.runIf(hasMemoryGroups)("with a control group", () => {
  it("bounds all processes of a machine together, and the machine can count the kills", async () => {
    engine = await startEngine({ environment: { SANDBOX_MCP_MEMORY_MB: "300" } });
    await engine.startMachine("a");
    expect(await endedHogs()).toBeGreaterThan(0);
    const kills =
      "cat /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control 2>/dev/null | sed -n 's/^oom_kill //p'";
    expect(Number((await engine.exec("a", kills)).output)).toBeGreaterThan(0);
  });
});
