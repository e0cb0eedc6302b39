// What is known of processes without a machine: a question about them must not start one.

import type { OperationName, RequestOf } from "../../contract/operation.ts";
import type { ProcessReadResult } from "../../contract/process-read.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import type { PendingExec } from "./pending-exec.ts";
import type { ProcessLedger } from "./process-ledger.ts";

export interface Known {
  pending: ReadonlyMap<string, PendingExec>;
  ledger: ProcessLedger;
  /** A machine is running, so it knows better. */
  up: boolean;
}

/** Null where the machine has to be asked. */
export function answerAsleep(
  operation: OperationName,
  request: RequestOf<OperationName>,
  known: Known,
): Result<unknown> | null {
  const processId = "process_id" in request ? request.process_id : null;
  const pending = processId === null ? undefined : known.pending.get(processId);
  switch (operation) {
    case "process-list":
      if (known.up && known.pending.size === 0) return null;
      return succeed({ processes: [...known.pending.values()].map((entry) => entry.summary()), dropped: 0 });
    case "process-read":
      if (pending === undefined) return known.up ? null : lost(processId, known.ledger);
      return succeed({ ...pending.report(), ...atTheStart } satisfies ProcessReadResult);
    case "process-write":
      if (pending === undefined) return known.up ? null : lost(processId, known.ledger);
      return fail({ reason: "stdin_closed", process_id: pending.request.process_id, status: "running" });
    case "process-signal":
      if (pending === undefined) return known.up ? null : lost(processId, known.ledger);
      return signalPending(pending, request);
    default:
      return null;
  }
}

/** A signal that would end the command calls it off; another has nobody to reach yet. */
function signalPending(pending: PendingExec, request: RequestOf<OperationName>): Result<unknown> {
  const process = pending.summary();
  if (!("signal" in request) || !ending.includes(request.signal)) return succeed({ process, signalled: 0 });
  pending.cancelled = true;
  return succeed({ process: pending.calledOff(request.killed_by), signalled: 0 });
}

const ending: readonly string[] = ["TERM", "KILL", "INT", "HUP", "QUIT"];

const atTheStart = { next_stdout: 0, next_stderr: 0, lost_stdout: 0, lost_stderr: 0 };

const lost = (processId: string | null, ledger: ProcessLedger): Result<never> =>
  processId !== null && ledger.find(processId) !== null
    ? fail({ reason: "machine_restarted", process_id: processId })
    : fail({ reason: "not_found", kind: "process", name: processId ?? "" });
