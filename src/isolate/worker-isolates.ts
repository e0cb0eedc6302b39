// Runs code in Dynamic Workers: one for each run, without bindings and secrets, and with its sandbox's egress as its only
// network. The timer runs here, outside the isolate.

import { limits } from "../contract/limits.ts";
import { fail, type Result, succeed } from "../contract/result.ts";
import { formatDuration } from "../format/format-duration.ts";
import { fromCodeFault, plainError } from "./code-error.ts";
import { resolveGrants } from "./grants.ts";
import type { CodeError, IsolateOutcome, IsolateRequest, Isolates } from "./isolate.ts";
import { CodeFault } from "./program/code-fault.ts";
import { type Program, prepareProgram } from "./program/program.ts";
import { Run } from "./run.ts";
import type { RunEnvironment } from "./run-environment.ts";
import { Slots } from "./slots.ts";

/** Of each principal, shared by all its requests that this instance of the Worker serves: one caller does not delay another. */
const slotsOfPrincipals = new Map<string, Slots>();

function slotsOf(principal: string): Slots {
  const slots = slotsOfPrincipals.get(principal) ?? new Slots();
  slotsOfPrincipals.set(principal, slots);
  return slots;
}

export const workerIsolates = (environment: RunEnvironment): Isolates => ({
  run: (request) => runCode(request, environment),
});

async function runCode(request: IsolateRequest, environment: RunEnvironment): Promise<Result<IsolateOutcome>> {
  if (request.code.length > limits.codeMaxChars) {
    const [actual, limit] = [request.code.length, limits.codeMaxChars];
    return fail({ reason: "too_large", subject: "The code", actual, limit, unit: "characters" });
  }
  const grants = resolveGrants(environment.providers, environment.scopes, request.tools);
  if (!grants.ok) return grants;
  const program = tryPrepare(request.code);
  if (program instanceof CodeFault) return succeed(failedOutcome(fromCodeFault(program, request.code)));
  const slots = slotsOf(environment.principal);
  const queuedAt = Date.now();
  const slot = await slots.take(request.deadline, request.signal);
  if (slot === null)
    return succeed(failedOutcome(request.signal.aborted ? cancelled : neverStarted(request.timeoutMs)));
  const run = new Run(request, program, grants.value, environment);
  // After an abort this function may never resume, so the listener releases the slot too.
  const release = () => slots.release(slot);
  request.signal.addEventListener("abort", release, { once: true });
  try {
    const outcome = await run.outcome();
    const queuedMs = Date.now() - queuedAt - run.durationMs;
    if (queuedMs >= limits.isolateQueueNoticeMs) {
      outcome.remarks.push(
        `The code waited ${formatDuration(queuedMs)} in a queue because ${limits.isolatesAtOnce} other runs were active.`,
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

const failedOutcome = (error: CodeError): IsolateOutcome => ({
  value: undefined,
  error,
  logs: { text: "", omitted: 0 },
  calls: [],
  remarks: [],
  notices: [],
});

const cancelled = plainError("Cancelled", "The call was cancelled before the code was started");

const neverStarted = (timeoutMs: number): CodeError =>
  plainError(
    "Timeout",
    `The code was not started: ${limits.isolatesAtOnce} other runs were active for all of the ${formatDuration(timeoutMs)}. Try again`,
  );
