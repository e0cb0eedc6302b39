// exec: start a command, or attach to the one that has this id, and wait for it a while.

import type { ExecRequest, ExecResult } from "../../../src/contract/exec.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import type { Machine } from "../machine.ts";
import type { Process } from "../process.ts";
import { report } from "../report.ts";
import { fingerprint, startProcess } from "../start-process.ts";

export async function exec(request: ExecRequest, machine: Machine): Promise<Result<ExecResult>> {
  const arrived = performance.now();
  const known = await machine.registry.find(request.process_id);
  const process =
    known === null
      ? await machine.registry.add(request.process_id, () => startProcess(request, machine))
      : sameRequest(known, request);
  if (!process.ok) return process;
  const left = request.wait_ms - (performance.now() - arrived);
  await process.value.stateBell.until(() => process.value.status === "exited", left);
  return succeed(await report(process.value, request.stream_chars, known !== null));
}

const sameRequest = (process: Process, request: ExecRequest): Result<Process> =>
  process.fingerprint === fingerprint(request)
    ? succeed(process)
    : fail({ reason: "process_conflict", process_id: process.id });
