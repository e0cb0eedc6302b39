// process-signal: a signal to everything a process started.

import type { ProcessSignalRequest, ProcessSignalResult } from "../../../src/contract/process-signal.ts";
import { type Result, succeed } from "../../../src/contract/result.ts";
import type { Machine } from "../runner-context.ts";
import { signalAll } from "./end-process.ts";
import type { Process } from "./process.ts";
import { summary } from "./process-report.ts";
import { endProcess } from "./start-process.ts";

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
  if (signal === "SIGKILL") await untilGone(process, machine);
  return succeed({ process: summary(process), signalled });
}

/** KILL takes effect when the kernel gets to it, mostly within 2 ms and on a busy host later; what lives on is said to live. */
const GONE_WITHIN_MS = 1_000;
const FIRST_LOOK_MS = 2;
const LOOK_EVERY_MS = 50;

/** So that the answer does not count the dying as alive. */
async function untilGone(process: Process, { registry }: Machine): Promise<void> {
  const deadline = performance.now() + GONE_WITHIN_MS;
  for (let pause = FIRST_LOOK_MS; !process.settled && performance.now() < deadline; ) {
    await process.stateBell.next(pause);
    pause = Math.min(2 * pause, LOOK_EVERY_MS);
    registry.look(process);
  }
}
