// As many processes as the runner keeps, finished and alive.

import { expect, test } from "vitest";
import { limits } from "../../../src/contract/limits.ts";
import { eventually, failureOf, newId, sleepers, startRunner, unwrap } from "../runner-under-test.ts";

test("process-list lists all, newest first, and drops the oldest when there are too many", async () => {
  const other = await startRunner();
  const ids = Array.from({ length: limits.finishedProcessesMax + 3 }, (_, n) => `n${n}`);
  const lasting = await other.exec("echo up; sleep 6005", { process_id: "lasting", wait_ms: 100 });
  for (const process_id of ids) await other.exec("echo hi", { process_id, wait_ms: 0 });
  for (const process_id of ids.slice(-8)) await other.read(process_id, { until: "exit" });
  await eventually(async () => unwrap(await other.call("process-list", {})).dropped === 3);
  const { processes, dropped } = unwrap(await other.call("process-list", {}));
  expect(dropped).toBe(3);
  expect(processes.map((one) => one.process_id)).toEqual([...ids.slice(3).reverse(), "lasting"]);
  expect(processes.at(-1)).toMatchObject({
    status: "running",
    command: "echo up; sleep 6005",
    exit_code: null,
    stdout_bytes: 3,
  });
  expect(await other.execFailure("echo hi", { process_id: "n0" })).toEqual({
    reason: "process_forgotten",
    process_id: "n0",
  });
  expect(failureOf(await other.write("n1", "x"))).toEqual({ reason: "process_forgotten", process_id: "n1" });
  expect((await other.exec(`ls '${other.logs}'`)).stdout.lines).toBe(limits.finishedProcessesMax + 1);
  expect(lasting.status).toBe("running");
  await other.stop();
  expect(sleepers("6005")).toEqual([]);
});

test("exec() refuses when too many processes are alive, and starts again when some have ended", async () => {
  const other = await startRunner();
  const starts = Array.from({ length: limits.liveProcessesMax }, () =>
    other.exec("sleep 6006", { process_id: newId(), wait_ms: 0 }),
  );
  const [first] = await Promise.all(starts);
  const refused = await other.execFailure("true");
  expect(refused).toEqual({ reason: "quota_exceeded", subject: "live processes", limit: limits.liveProcessesMax });
  const process_id = first?.process_id ?? "";
  unwrap(await other.call("process-signal", { process_id, signal: "KILL", killed_by: "cancel", then_kill: false }));
  await other.read(process_id, { until: "exit" });
  expect((await other.exec("true")).exit_code).toBe(0);
  await other.stop();
  expect(sleepers("6006")).toEqual([]);
});
