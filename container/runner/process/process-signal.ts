// process-signal: sends a signal to everything that a process started.

import type { ProcessSignalRequest, ProcessSignalResult } from "../../../src/contract/process-signal.ts";
import { type Result, succeed } from "../../../src/contract/result.ts";
import type { RunnerContext } from "../runner-context.ts";
import type { Process } from "./process.ts";
import { summarizeProcess } from "./process-report.ts";
import { signalAll } from "./signal-all.ts";
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
  if (signal === "SIGKILL") return succeed(await kill(process, context));
  const signalled = signalAll(living, signal, process.wrapper);
  if (request.then_kill && living.length > 0) {
    void endProcess(process, context, { firstSignal: signal, signalled: living });
  }
  return succeed({ process: summarizeProcess(process), signalled, unkillable: [] });
}

/** How long the record of a killed process may take to be completed: its last output is waited for. */
const RECORD_MAX_MS = 1_000;

async function kill(process: Process, context: RunnerContext): Promise<ProcessSignalResult> {
  const { killed, survivors } = await endProcess(process, context, { firstSignal: "SIGKILL", signalled: [] });
  if (survivors.length === 0 || process.exit !== null)
    await process.stateChanged.waitUntil(() => process.status === "exited", RECORD_MAX_MS);
  if (!process.settled) context.registry.livingProcesses(process);
  return {
    process: summarizeProcess(process),
    signalled: killed,
    unkillable: survivors.map(({ pid, name, state }) => ({ pid, name, state })),
  };
}
