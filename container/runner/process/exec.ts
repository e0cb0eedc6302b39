// exec: start a command, or attach to the one that has this id, and wait for it a while.

import type { ExecRequest, ExecResult } from "../../../src/contract/exec.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import type { Machine } from "../runner-context.ts";
import { report } from "./process-report.ts";
import { fingerprint, startProcess } from "./start-process.ts";

export async function exec(request: ExecRequest, machine: Machine): Promise<Result<ExecResult>> {
  const arrived = performance.now();
  const added = await machine.registry.add(request.process_id, () => startProcess(request, machine));
  if (!added.ok) return added;
  const { process, attached } = added.value;
  if (attached && process.fingerprint !== fingerprint(request))
    return fail({ reason: "process_conflict", process_id: process.id });
  const left = request.wait_ms - (performance.now() - arrived);
  await process.stateBell.until(() => process.status === "exited", left);
  return succeed(await report(process, request.stream_chars, attached));
}
