// process-signal: a signal to everything a process started.

import type { ProcessSignalRequest, ProcessSignalResult } from "../../../src/contract/process-signal.ts";
import { type Result, succeed } from "../../../src/contract/result.ts";
import { signalAll } from "../ending.ts";
import type { Machine } from "../machine.ts";
import { summary } from "../report.ts";
import { endProcess } from "../start-process.ts";

export async function processSignal(
  request: ProcessSignalRequest,
  machine: Machine,
): Promise<Result<ProcessSignalResult>> {
  const found = await machine.registry.find(request.process_id);
  if (!found.ok) return found;
  const process = found.value;
  const signal: NodeJS.Signals = `SIG${request.signal}`;
  const asked = process.settled ? [] : machine.registry.look(process);
  if (process.exit === null) {
    process.signalled.set(signal, request.killed_by);
    // With `then_kill` its end is certain, whatever it makes of the signal.
    if (request.then_kill) process.killedBy ??= request.killed_by;
  }
  const signalled = signalAll(asked, signal, process.wrapper);
  if (request.then_kill && asked.length > 0) void endProcess(process, machine, { first: signal, asked });
  return succeed({ process: summary(process), signalled });
}
