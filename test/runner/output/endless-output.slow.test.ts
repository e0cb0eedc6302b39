// What the product promises about endless output: 8 GB cost the runner less than 64 MB of memory.

import { expect, test } from "vitest";
import { residentMiB, startRunner } from "../runner-under-test.ts";

test("exec() takes less than 64 MB when a command writes 8 GB", async () => {
  const runner = await startRunner();
  await runner.exec("echo warm");
  const before = residentMiB(runner.pid);
  let highest = before;
  const watch = setInterval(() => {
    highest = Math.max(highest, residentMiB(runner.pid));
  }, 50);
  const value = await runner.exec("yes | head -c 8G", { wait_ms: 200_000 });
  clearInterval(watch);
  await runner.stop();
  console.info(`8 GB took ${value.duration_ms} ms and ${Math.round(highest - before)} MB`);
  expect([value.exit_code, value.stdout.bytes, value.stdout.lines]).toEqual([0, 8 * 2 ** 30, 4 * 2 ** 30]);
  expect(highest - before).toBeLessThan(64);
});
