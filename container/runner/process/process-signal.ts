// process-signal: sends a signal to everything that a process started.

import type { ProcessSignalRequest, ProcessSignalResult } from "../../../src/contract/process-signal.ts";
import { type Result, succeed } from "../../../src/contract/result.ts";
import type { RunnerContext } from "../runner-context.ts";
import { signalAll } from "./end-process.ts";
import type { Process } from "./process.ts";
import { summarizeProcess } from "./process-report.ts";
import { endProcess } from "./supervise-process.ts";

export async function processSignal(
  request: ProcessSignalRequest,
  context: RunnerContext,
): Promise<Result<ProcessSignalResult>> {
  const found = await context.registry.find(request.process_id);
  if (!found.ok) return found;
  const process = found.value;
  const signal: NodeJS.Signals = `SIG${request.signal}`;
  const living = process.settled ? [] : context.registry.livingProcesses(process);
  if (process.exit === null) {
    process.signalled.set(signal, request.killed_by);
    // With `then_kill` the process is sure to end, however it handles the signal.
    if (request.then_kill) process.killedBy ??= request.killed_by;
  }
  const signalled = signalAll(living, signal, process.wrapper);
  if (request.then_kill && living.length > 0) {
    void endProcess(process, context, { firstSignal: signal, signalled: living });
  }
  if (signal === "SIGKILL") await waitForDeath(process, context);
  return succeed({ process: summarizeProcess(process), signalled });
}

/** SIGKILL takes effect when the kernel gets to it: mostly within 2 ms, later on a busy host. */
const DEATH_MAX_MS = 1_000;
const FIRST_SCAN_MS = 2;
const SCAN_EVERY_MS = 50;

/** Keeps processes that are about to die from being reported as alive. */
async function waitForDeath(process: Process, { registry }: RunnerContext): Promise<void> {
  const deadline = performance.now() + DEATH_MAX_MS;
  for (let pause = FIRST_SCAN_MS; !process.settled && performance.now() < deadline; ) {
    await process.stateChanged.wait(pause);
    pause = Math.min(2 * pause, SCAN_EVERY_MS);
    registry.livingProcesses(process);
  }
}
