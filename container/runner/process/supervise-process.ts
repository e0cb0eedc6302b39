// Supervises a started command: applies its deadline, ends what it started, and completes its record when it has ended.

import type { ChildProcess } from "node:child_process";
import type { ExecRequest } from "../../../src/contract/exec.ts";
import type { ProcessStat } from "../../proc/process-stat.ts";
import type { RunnerContext } from "../runner-context.ts";
import { type EndOptions, endEverything } from "./end-process.ts";
import type { Process } from "./process.ts";

export function superviseProcess(
  process: Process,
  child: ChildProcess,
  request: ExecRequest,
  context: RunnerContext,
): void {
  const deadline =
    request.timeout_ms === null ? undefined : setTimeout(() => onDeadline(process, context), request.timeout_ms);
  // The child reports a signal that could not be sent as an error, which says nothing about the command.
  child.on("error", () => undefined);
  child.once("exit", (code, signal) => {
    clearTimeout(deadline);
    process.childExited(code, signal, context.oomKills.count());
    void finish(process, context);
  });
}

function onDeadline(process: Process, context: RunnerContext): void {
  process.timedOut = true;
  process.killedBy = "timeout";
  void endProcess(process, context, { firstSignal: "SIGTERM", signalled: [] });
}

/** Ends everything that the process started. A call while that is under way waits for the same end. */
export function endProcess(
  process: Process,
  { registry }: RunnerContext,
  signals: Pick<EndOptions, "firstSignal" | "signalled">,
): Promise<void> {
  const scan = (): ProcessStat[] => registry.livingProcesses(process);
  process.ending ??= endEverything({ scan, wrapper: process.wrapper, ...signals }).finally(() => {
    process.ending = null;
  });
  return process.ending;
}

/** Completes the record of a process whose direct child has ended. */
async function finish(process: Process, context: RunnerContext): Promise<void> {
  process.stdin?.destroy();
  // Assumed until a scan has counted, so that a fault before that leads to another scan later.
  let leftRunning = 1;
  try {
    await process.waitForOutput();
    await process.ending;
    await Promise.all([process.stdout.log.flushed(), process.stderr.log.flushed()]);
    leftRunning = context.registry.countLeftRunning(process);
  } finally {
    // Even after a fault, no caller may wait for ever.
    process.leftRunning = leftRunning;
    process.status = "exited";
    process.stateChanged.notify();
    process.outputChanged.notify();
  }
  await context.registry.trim();
}
