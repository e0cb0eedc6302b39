// Resolves what a caller gives for signalling a process into the request of `process-signal`.

import type { ProcessSignalRequest } from "../contract/process-signal.ts";

export interface ProcessSignalInput {
  process_id: string;
  signal?: ProcessSignalRequest["signal"] | undefined;
}

export const resolveProcessSignal = ({ process_id, signal = "TERM" }: ProcessSignalInput): ProcessSignalRequest => ({
  process_id,
  signal,
  killed_by: "process_signal",
  then_kill: false,
});

/** Ends everything a process started, because the call that was waiting for it has gone. */
export const cancelProcess = (processId: string): ProcessSignalRequest => ({
  process_id: processId,
  signal: "TERM",
  killed_by: "cancel",
  then_kill: true,
});
