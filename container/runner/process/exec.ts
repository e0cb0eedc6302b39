// exec: starts a command, or attaches to the process with the given id, and waits for its end for a bounded time.

import type { ExecRequest, ExecResult } from "../../../src/contract/exec.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import type { RunnerContext } from "../runner-context.ts";
import { reportProcess } from "./process-report.ts";
import { fingerprint, startProcess } from "./start-process.ts";

export async function exec(request: ExecRequest, context: RunnerContext): Promise<Result<ExecResult>> {
  const arrived = performance.now();
  context.checkpoints.inodes.keep();
  const added = await context.registry.add(request.process_id, () => startProcess(request, context));
  if (!added.ok) return added;
  const { process, attached } = added.value;
  if (attached && process.fingerprint !== fingerprint(request))
    return fail({ reason: "process_conflict", process_id: process.id });
  const remaining = request.wait_ms - (performance.now() - arrived);
  await process.stateChanged.waitUntil(() => process.status === "exited", remaining);
  return succeed(await reportProcess(process, context, { chars: request.stream_chars, attached }));
}
