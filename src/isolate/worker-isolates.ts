// Runs code in Dynamic Workers: one for each run, with no bindings and no secrets, and with its sandbox's way out for a network. The timer is here, outside.

import type { Scope } from "../auth/caller.ts";
import { limits } from "../contract/limits.ts";
import { fail, type Result, succeed } from "../contract/result.ts";
import type { IsolateNetwork } from "../egress/isolate-network.ts";
import { formatDuration } from "../format/format-duration.ts";
import type { SandboxCalls } from "../sandbox/sandbox.ts";
import type { SandboxState } from "../sandbox/storage/state.ts";
import { faultError } from "./code-error.ts";
import { grantsOf } from "./grants.ts";
import type { IsolateOutcome, IsolateRequest, Isolates } from "./isolate.ts";
import { CodeFault } from "./program/code-fault.ts";
import { type Program, prepareProgram } from "./program/program.ts";
import type { Provider } from "./providers/provider.ts";
import { Run } from "./run.ts";
import { Slots } from "./slots.ts";

export interface IsolateHost {
  loader: WorkerLoader;
  providers: readonly Provider[];
  scopes: ReadonlySet<Scope>;
  openSandbox: (name: string) => SandboxCalls;
  openState: (name: string) => SandboxState;
  /** A network for one run; null for none. */
  openNetwork: (name: string) => IsolateNetwork | null;
  /** Keeps work alive after the answer, or after the client has gone. */
  detach: (work: Promise<unknown>) => void;
}

/** Shared by all requests that this copy of the Worker serves. */
const slots = new Slots();

export const workerIsolates = (host: IsolateHost): Isolates => ({
  run: (request) => runCode(request, host),
});

async function runCode(request: IsolateRequest, host: IsolateHost): Promise<Result<IsolateOutcome>> {
  if (request.code.length > limits.codeMaxChars) {
    const [actual, limit] = [request.code.length, limits.codeMaxChars];
    return fail({ reason: "too_large", subject: "The code", actual, limit, unit: "characters" });
  }
  const grants = grantsOf(host.providers, host.scopes, request.tools);
  if (!grants.ok) return grants;
  const program = tryPrepare(request.code);
  if (program instanceof CodeFault) return succeed(withError(faultError(program, request.code)));
  const queuedAt = Date.now();
  const slot = await slots.take(request.deadline, request.signal);
  if (slot === null) return succeed(withError(request.signal.aborted ? cancelled : neverStarted(request.timeoutMs)));
  const run = new Run(request, program, grants.value, host);
  // After an abort this function may never go on, so the slot is given back from there too.
  const release = () => slots.release(slot);
  request.signal.addEventListener("abort", release, { once: true });
  try {
    const outcome = await run.outcome();
    const queuedMs = Date.now() - queuedAt - run.durationMs;
    if (queuedMs >= limits.isolateQueueNoticeMs) {
      outcome.notices.push(
        `The code waited ${formatDuration(queuedMs)} in line, as ${limits.isolatesAtOnce} others were running.`,
      );
    }
    return succeed(outcome);
  } finally {
    request.signal.removeEventListener("abort", release);
    release();
  }
}

function tryPrepare(code: string): Program | CodeFault {
  try {
    return prepareProgram(code);
  } catch (error) {
    if (error instanceof CodeFault) return error;
    if (error instanceof RangeError) return new CodeFault("SyntaxError", "The code is nested too deeply", null);
    throw error;
  }
}

const withError = (error: IsolateOutcome["error"]): IsolateOutcome => ({
  value: undefined,
  error,
  logs: { text: "", leftOut: 0 },
  calls: [],
  notices: [],
});

const cancelled = {
  name: "Cancelled",
  message: "The call was cancelled before the code was started",
  reason: null,
  place: null,
  details: null,
};

const neverStarted = (timeoutMs: number) => ({
  name: "Timeout",
  message: `The code was not started: ${limits.isolatesAtOnce} others ran for all of the ${formatDuration(timeoutMs)}. Try again`,
  reason: null,
  place: null,
  details: null,
});
