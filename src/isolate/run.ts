// One run: creates the isolate, serves its calls, and answers when it ends, at the deadline, or when the client disconnects.

import { limits } from "../contract/limits.ts";
import type { IsolateNetwork } from "../egress/isolate-network.ts";
import { formatCount } from "../format/format-count.ts";
import { formatDuration } from "../format/format-duration.ts";
import type { Notice } from "../sandbox/answer.ts";
import { Budget } from "./budget.ts";
import { fromPlatform, fromThrown, plainError } from "./code-error.ts";
import { type Grants, grantedNames } from "./grants.ts";
import { parseHarnessAnswer } from "./harness-answer.ts";
import { addHint } from "./hints.ts";
import type { CodeError, IsolateOutcome, IsolateRequest } from "./isolate.ts";
import { importable } from "./program/modules.ts";
import type { Program } from "./program/program.ts";
import type { ProviderRun } from "./providers/provider.ts";
import type { RunEnvironment } from "./run-environment.ts";
import { RunHost } from "./run-host.ts";
import { RunLog } from "./run-log.ts";
import { readTree } from "./value/read-tree.ts";

type Ending =
  | { kind: "answer"; text: unknown }
  | { kind: "fault"; error: unknown }
  | { kind: "timeout" }
  | { kind: "cancel" };

type ValueOrError = Pick<IsolateOutcome, "value" | "error">;

export class Run {
  readonly #request: IsolateRequest;
  readonly #program: Program;
  readonly #grants: Grants;
  readonly #environment: RunEnvironment;
  readonly #budget = new Budget();
  readonly #log: RunLog;
  readonly #network: IsolateNetwork | null;
  readonly #ended = new AbortController();
  readonly #cleanups = new Set<() => Promise<unknown>>();
  readonly #remarks = new Set<string>();
  readonly #notices = new Map<string, Notice>();
  durationMs = 0;

  constructor(request: IsolateRequest, program: Program, grants: Grants, environment: RunEnvironment) {
    this.#request = request;
    this.#program = program;
    this.#grants = grants;
    this.#environment = environment;
    this.#network = environment.openNetwork(request.sandbox);
    this.#log = new RunLog((line) => request.onProgress(line));
  }

  async outcome(): Promise<IsolateOutcome> {
    const startedAt = Date.now();
    const ending = await this.#untilEnd();
    this.durationMs = Date.now() - startedAt;
    const result = this.#interpret(ending);
    await this.#addRefusals();
    return {
      ...result,
      logs: this.#log.logs(),
      calls: this.#budget.calls(),
      remarks: [...this.#remarks],
      notices: [...this.#notices.values()],
    };
  }

  async #untilEnd(): Promise<Ending> {
    const { signal, deadline } = this.#request;
    const timer = new AbortController();
    const { promise: cancel, resolve: onAbort } = Promise.withResolvers<Ending>();
    // After an abort the code that awaits this may never resume, so the listener itself ends the run.
    const abort = () => {
      this.#end();
      onAbort({ kind: "cancel" });
    };
    signal.addEventListener("abort", abort, { once: true });
    // Disposing the call disposes the stub of the host. The isolate goes away when nothing refers to it.
    const call = this.#start() as Promise<string> & Disposable;
    const answer = call.then(
      (text): Ending => ({ kind: "answer", text }),
      (error: unknown): Ending => ({ kind: "fault", error }),
    );
    const timeout = scheduler.wait(Math.max(0, deadline - Date.now()), { signal: timer.signal }).then(
      (): Ending => ({ kind: "timeout" }),
      (): Ending => ({ kind: "cancel" }),
    );
    try {
      if (signal.aborted) return { kind: "cancel" };
      const ending = await Promise.race([answer, timeout, cancel]);
      if (ending.kind === "timeout") {
        this.#end();
        // A runner that ends the isolate by force then sends the log entries that the isolate could not send itself.
        await Promise.race([answer, cancel, scheduler.wait(limits.isolateEndMs)]);
      }
      return ending;
    } finally {
      timer.abort();
      signal.removeEventListener("abort", abort);
      this.#end();
      call[Symbol.dispose]();
    }
  }

  #start() {
    const { input, onProgress, deadline } = this.#request;
    const { source, usesNode, callMain } = this.#program;
    const host = new RunHost({
      grants: this.#grants,
      budget: this.#budget,
      log: this.#log,
      run: this.#providerRun(),
      onCall: onProgress,
    });
    const options = {
      grants: grantedNames(this.#grants),
      input: input?.value,
      hasNetwork: this.#network !== null,
      callMain,
      modules: importable,
      atOnce: limits.runCallsAtOnce,
      resultChars: limits.runResultMaxChars,
      logChars: limits.runLogMaxChars,
      printLogs: false,
    };
    const code = { source, usesNode, network: this.#network?.props ?? null };
    return this.#environment.codeRunner.run(code, host, options, deadline);
  }

  #providerRun(): ProviderRun {
    const { sandbox, deadline } = this.#request;
    const calls = this.#environment.openSandbox(sandbox);
    return {
      call: async (operation, request) => {
        const { result, notice } = await calls.call(operation, request);
        if (notice !== null) this.#notices.set(notice.id, notice);
        return result;
      },
      state: this.#environment.openState(sandbox),
      remainingMs: () => Math.max(0, deadline - Date.now()),
      signal: this.#ended.signal,
      addRemark: (text) => this.#remarks.add(text),
      onEnd: (work) => {
        this.#cleanups.add(work);
        return { forget: () => this.#cleanups.delete(work) };
      },
    };
  }

  /** From here on the isolate's calls are refused. Whatever they started is ended. */
  #end(): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort();
    for (const cleanup of this.#cleanups) this.#environment.detach(cleanup());
  }

  #interpret(ending: Ending): ValueOrError {
    const { code, timeoutMs } = this.#request;
    switch (ending.kind) {
      case "timeout":
        return failed(
          plainError(
            "Timeout",
            `The code was ended after ${formatDuration(timeoutMs)}. Do less in one run, or raise timeout_ms`,
          ),
        );
      case "cancel":
        return failed(plainError("Cancelled", "The call was cancelled, and the code was ended"));
      case "fault":
        return failed(fromPlatform(ending.error, this.#program, code));
      case "answer":
        return this.#readAnswer(ending.text);
    }
  }

  /** Code that does not mention fetch has no refusals, so its sandbox need not be asked. */
  async #addRefusals(): Promise<void> {
    const refusals = this.#program.usesFetch ? await this.#network?.refusals() : null;
    if (typeof refusals === "string") this.#remarks.add(refusals);
  }

  #readAnswer(text: unknown): ValueOrError {
    const answer = parseHarnessAnswer(text, limits.runResultMaxChars * 8);
    if (answer === null) {
      return failed(plainError("IsolateError", "The code broke its runtime environment, so its result cannot be read"));
    }
    this.#log.addOmitted(answer.logs_omitted);
    if (answer.error !== undefined) {
      const thrown = fromThrown(answer.error, this.#program, this.#request.code);
      const error = addHint(thrown, [...this.#grants.methods.keys()]);
      if (answer.unhandled === undefined) return failed(error);
      return failed({ ...error, message: `${error.message} (${unhandledNotes[answer.unhandled]})` });
    }
    if (answer.unawaited !== undefined && answer.unawaited > 0) {
      this.#remarks.add(
        `${formatCount(answer.unawaited, "provider call was", "provider calls were")} not awaited by the code; the run waited for ${answer.unawaited === 1 ? "it" : "them"}.`,
      );
    }
    return { value: answer.value === undefined ? undefined : readTree(answer.value), error: null };
  }
}

const failed = (error: CodeError): ValueOrError => ({ value: undefined, error });

const unhandledNotes = {
  timer: "thrown in a timer, where nothing catches it",
  rejection: "a promise was rejected and nothing awaits it",
};
