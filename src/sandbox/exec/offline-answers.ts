// Answers questions about processes without a machine, because such a question must not start one.

import type { OperationName, RequestOf } from "../../contract/operation.ts";
import type { ProcessReadResult } from "../../contract/process-read.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import type { PendingExec } from "./pending-exec.ts";
import type { ProcessLedger } from "./process-ledger.ts";

export interface ProcessKnowledge {
  pending: ReadonlyMap<string, PendingExec>;
  ledger: ProcessLedger;
  /** A machine is running. Its answer counts, except about commands that it has not been sent yet. */
  hasMachine: boolean;
}

/** Returns null when the machine has to be asked. */
export function answerOffline(
  operation: OperationName,
  request: RequestOf<OperationName>,
  { pending, ledger, hasMachine }: ProcessKnowledge,
): Result<unknown> | null {
  if (operation === "process-list") {
    if (hasMachine && pending.size === 0) return null;
    return succeed({ processes: [...pending.values()].map((entry) => entry.summary()), dropped: 0 });
  }
  if (!isAboutProcess(operation) || !("process_id" in request)) return null;
  const entry = pending.get(request.process_id);
  if (entry !== undefined) return answerPending(operation, request, entry);
  return hasMachine ? null : noSuchProcess(request.process_id, ledger);
}

type ProcessOperation = "process-read" | "process-write" | "process-signal";

const isAboutProcess = (operation: OperationName): operation is ProcessOperation =>
  operation === "process-read" || operation === "process-write" || operation === "process-signal";

function answerPending(
  operation: ProcessOperation,
  request: RequestOf<OperationName>,
  pending: PendingExec,
): Result<unknown> {
  switch (operation) {
    case "process-read":
      return succeed({ ...pending.report(), ...atTheStart } satisfies ProcessReadResult);
    case "process-write":
      return fail({ reason: "stdin_closed", process_id: pending.request.process_id, status: "running" });
    case "process-signal":
      return signalPending(pending, request);
  }
}

/** A signal that would end the command cancels it. There is no process yet for any other signal. */
function signalPending(pending: PendingExec, request: RequestOf<OperationName>): Result<unknown> {
  const process = pending.summary();
  if (!("signal" in request) || !ENDING_SIGNALS.includes(request.signal)) return succeed({ process, signalled: 0 });
  pending.cancelled = true;
  return succeed({ process: pending.cancelledSummary(request.killed_by), signalled: 0 });
}

const ENDING_SIGNALS: readonly string[] = ["TERM", "KILL", "INT", "HUP", "QUIT"];

const atTheStart = { next_stdout: 0, next_stderr: 0, lost_stdout: 0, lost_stderr: 0 };

/** If the ledger has the process, it was lost with its machine. */
const noSuchProcess = (processId: string, ledger: ProcessLedger): Result<never> =>
  ledger.find(processId) === null
    ? fail({ reason: "not_found", kind: "process", name: processId })
    : fail({ reason: "machine_restarted", process_id: processId });
