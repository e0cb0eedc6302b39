// Machines without disks of their own: the engine of an ordinary user watches what they write.

import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { formatReport } from "../../../tools/process/format-process.ts";
import { plain } from "../../runner/runner-under-test.ts";
import { type EngineUnderTest, removeHomes, startEngine, until } from "../engine-under-test.ts";
import { bundledRunner, type MachineRunner, machineRunner } from "../machine/machine-runner.ts";

const { runner, remove } = await bundledRunner();
let engine: EngineUnderTest;
let machine: MachineRunner;

beforeEach(async () => {
  engine = await startEngine({ runner, user: "ordinary", environment: { SANDBOX_MCP_DISK_MB: "128" } });
  await engine.startMachine("a");
  machine = machineRunner(engine, "a");
});
afterEach(() => engine.close());
afterAll(() => {
  removeHomes();
  remove();
});

/** Some MB every few milliseconds, so that the test itself needs little space. */
const FILL = "while head -c 4M /dev/zero; do sleep 0.02; done >>";

describe("a machine that shares the disk of the host", () => {
  it.each(["/workspace/big", "/tmp/big", "/usr/local/big", "/root/big"])(
    "has the command ended that writes too much to %s, and works on",
    async (path) => {
      const filled = await machine.exec(`echo kept > kept; ${FILL} ${path}`, { wait_ms: 60_000 });
      expect(filled).toMatchObject({ status: "exited", killed_by: "disk", left_running: 0 });
      expect(formatReport(filled)).toContain("because the machine has written more than it may keep on disk");
      const size = Number((await machine.exec(`stat -c %s ${path}`)).stdout.text);
      expect(size).toBeGreaterThan(100 * 1024 ** 2);
      expect((await machine.exec(`cat kept; rm ${path}; echo removed`)).stdout.text).toBe("kept\nremoved\n");
      expect((await machine.exec("head -c 20M /dev/zero > small; stat -c %s small")).stdout.text).toBe(`${20 << 20}\n`);
    },
  );

  it("is ended when it goes on writing regardless, and another goes on", async () => {
    await engine.startMachine("b");
    // The runner itself is kept from ending it.
    const stubborn = `kill -STOP $PPID; ${FILL} big`;
    machine.ask("exec", plain(stubborn)).catch(() => undefined);
    await until(async () => {
      const { body } = await engine.api("GET", "/containers/a/json");
      return JSON.stringify(body).includes('"Running":false');
    }, "the machine is ended");
    expect((await machineRunner(engine, "b").exec("echo fine")).stdout.text).toBe("fine\n");
  });
});
