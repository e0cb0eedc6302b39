// Supervises a started command: applies its deadline, ends what it started, and completes its record when it has ended.

import type { ChildProcess } from "node:child_process";
import type { ExecRequest } from "../../../src/contract/exec.ts";
import type { ProcessStat } from "../../proc/process-stat.ts";
import type { RunnerContext } from "../runner-context.ts";
import { type EndOptions, endEverything } from "./end-process.ts";
import type { Killed } from "./kill-all.ts";
import { describeLimits } from "./machine-limits.ts";
import type { Process } from "./process.ts";

export function superviseProcess(
  process: Process,
  child: ChildProcess,
  request: ExecRequest,
  context: RunnerContext,
): void {
  const deadline =
    request.timeout_ms === null ? undefined : setTimeout(() => void onDeadline(process, context), request.timeout_ms);
  // The child reports a signal that could not be sent as an error, which says nothing about the command.
  child.on("error", () => undefined);
  child.once("exit", (code, signal) => {
    const oomKills = context.oomKills.count();
    process.childExited(code, signal, oomKills);
    void finish(process, context, process.oomKillsSince(oomKills)).then(() => {
      // What the command left running is held to the same deadline.
      if (process.settled) clearTimeout(deadline);
    });
  });
}

async function onDeadline(process: Process, context: RunnerContext): Promise<void> {
  const hasExited = process.exit !== null;
  const living = process.settled ? [] : context.registry.livingProcesses(process);
  if (hasExited && living.length === 0) return;
  process.timedOut = true;
  process.killedBy = "timeout";
  if (hasExited) process.leftEnded = living.length;
  else process.hint = describeLimits(context, process.oomKillsSince(context.oomKills.count()));
  await endProcess(process, context, { firstSignal: "SIGTERM", signalled: [] });
  if (hasExited) context.registry.livingProcesses(process);
  process.outputChanged.notify();
}

/** Ends everything that the process started. Calls while that is under way do no harm: each ends what it finds. */
export function endProcess(
  process: Process,
  { registry }: RunnerContext,
  signals: Pick<EndOptions, "firstSignal" | "signalled">,
): Promise<Killed> {
  const scan = (): ProcessStat[] => registry.livingProcesses(process);
  const ending = endEverything({ scan, wrapper: process.wrapper, ...signals }).finally(() => {
    process.unclear = registry.countUnclear(process);
    if (process.ending === ending) process.ending = null;
  });
  process.ending = ending;
  return ending;
}

/** Completes the record of a process whose direct child has ended. */
async function finish(process: Process, context: RunnerContext, oomKills: number): Promise<void> {
  process.stdin?.destroy();
  // Assumed until a scan has counted, so that a fault before that leads to another scan later.
  let leftRunning = 1;
  try {
    if (process.exit?.code !== 0 && process.killedBy !== "timeout") process.hint = describeLimits(context, oomKills);
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
