// What tests start does not outlive them, however they end.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readStat } from "../container/proc/process-stat.ts";

test("endWithTests() ends a child when the process that started it is killed", async () => {
  const script = `
    const { spawn } = await import("node:child_process");
    const { endWithTests } = await import(${JSON.stringify(join(import.meta.dirname, "end-with-tests.ts"))});
    const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
    endWithTests(child);
    console.log(child.pid);
    setInterval(() => undefined, 1_000);`;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(parent.stdout, "data");
  const pid = Number(String(line));
  expect(readStat(pid)?.name).toBe("sleep");
  parent.kill("SIGKILL");
  await expect.poll(() => readStat(pid)?.name ?? "gone").not.toBe("sleep");
});
