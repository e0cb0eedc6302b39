// One run: makes the isolate, hands it its host, and answers at its end, at the deadline, or when the client has gone.

import { limits } from "../contract/limits.ts";
import type { IsolateNetwork } from "../egress/isolate-network.ts";
import { formatCount } from "../format/format-count.ts";
import { formatDuration } from "../format/format-duration.ts";
import { Budget } from "./budget.ts";
import { platformError, thrownError } from "./code-error.ts";
import { type Grants, grantedNames } from "./grants.ts";
import { harnessModules, MAIN_MODULE } from "./harness-modules.ts";
import { withHint } from "./hints.ts";
import type { CodeError, IsolateOutcome, IsolateRequest } from "./isolate.ts";
import { readAnswer } from "./outcome.ts";
import { importable } from "./program/modules.ts";
import type { Program } from "./program/program.ts";
import type { ProviderRun } from "./providers/provider.ts";
import { RunHost } from "./run-host.ts";
import { RunLog } from "./run-log.ts";
import { readTree } from "./value/read-tree.ts";
import type { IsolateHost } from "./worker-isolates.ts";

/** The methods of harness/main.js. */
interface Harness {
  run(host: RunHost, options: object): Promise<string>;
}

/** As in wrangler.jsonc. */
const compatibilityDate = "2026-11-01";

type Ending =
  | { how: "answer"; text: unknown }
  | { how: "fault"; error: unknown }
  | { how: "timeout" }
  | { how: "cancel" };

export class Run {
  readonly #request: IsolateRequest;
  readonly #program: Program;
  readonly #grants: Grants;
  readonly #host: IsolateHost;
  readonly #budget = new Budget();
  readonly #log: RunLog;
  readonly #network: IsolateNetwork | null;
  readonly #ended = new AbortController();
  readonly #onEnd = new Set<() => Promise<unknown>>();
  readonly #notices = new Set<string>();
  durationMs = 0;

  constructor(request: IsolateRequest, program: Program, grants: Grants, host: IsolateHost) {
    this.#request = request;
    this.#program = program;
    this.#grants = grants;
    this.#host = host;
    this.#network = host.openNetwork(request.sandbox);
    this.#log = new RunLog((line) => request.onProgress(line));
  }

  async outcome(): Promise<IsolateOutcome> {
    const startedAt = Date.now();
    const ending = await this.#untilEnd();
    this.durationMs = Date.now() - startedAt;
    const told = this.#tell(ending);
    await this.#noticeRefusals();
    return { ...told, logs: this.#log.logs(), calls: this.#budget.calls(), notices: [...this.#notices] };
  }

  async #untilEnd(): Promise<Ending> {
    const { signal, deadline } = this.#request;
    const timer = new AbortController();
    const { promise: cancel, resolve: onAbort } = Promise.withResolvers<Ending>();
    // Whoever awaits this may never go on after an abort: the run is ended right in the listener.
    const abort = () => {
      this.#end();
      onAbort({ how: "cancel" });
    };
    signal.addEventListener("abort", abort, { once: true });
    // The stub of the host is disposed with the call, the isolate when nothing refers to it any more.
    const call = this.#start();
    const answer = call.then(
      (text): Ending => ({ how: "answer", text }),
      (error: unknown): Ending => ({ how: "fault", error }),
    );
    const timeout = scheduler.wait(Math.max(0, deadline - Date.now()), { signal: timer.signal }).then(
      (): Ending => ({ how: "timeout" }),
      (): Ending => ({ how: "cancel" }),
    );
    try {
      if (signal.aborted) return { how: "cancel" };
      return await Promise.race([answer, timeout, cancel]);
    } finally {
      timer.abort();
      signal.removeEventListener("abort", abort);
      this.#end();
      call[Symbol.dispose]();
    }
  }

  #start(): Promise<string> & Disposable {
    const { request, program } = { request: this.#request, program: this.#program };
    const worker = this.#host.loader.load({
      compatibilityDate,
      compatibilityFlags: program.usesNode ? ["nodejs_compat"] : ["no_nodejs_compat"],
      mainModule: MAIN_MODULE,
      modules: { ...harnessModules, "code.js": program.source },
      env: {},
      globalOutbound: this.#network?.outbound ?? null,
      limits: { cpuMs: limits.isolateCpuMs },
    });
    const harness = worker.getEntrypoint() as unknown as Harness;
    const host = new RunHost({
      grants: this.#grants,
      budget: this.#budget,
      log: this.#log,
      run: this.#providerRun(),
      onCall: (name) => request.onProgress(name),
    });
    return harness.run(host, {
      grants: grantedNames(this.#grants),
      input: request.input?.value,
      hasNetwork: this.#network !== null,
      callMain: program.callMain,
      modules: importable,
      atOnce: limits.runCallsAtOnce,
      resultChars: limits.runResultMaxChars,
      logChars: limits.runLogMaxChars,
    }) as Promise<string> & Disposable;
  }

  #providerRun(): ProviderRun {
    const { sandbox, deadline } = this.#request;
    return {
      sandbox: this.#host.openSandbox(sandbox),
      state: this.#host.openState(sandbox),
      leftMs: () => Math.max(0, deadline - Date.now()),
      signal: this.#ended.signal,
      notice: (text) => this.#notices.add(text),
      onEnd: (work) => {
        this.#onEnd.add(work);
        return { forget: () => this.#onEnd.delete(work) };
      },
    };
  }

  /** Nothing is served to the isolate after this, and what its calls started is ended. */
  #end(): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort();
    for (const work of this.#onEnd) this.#host.detach(work());
  }

  #tell(ending: Ending): { value: IsolateOutcome["value"]; error: CodeError | null } {
    const { code, timeoutMs } = this.#request;
    switch (ending.how) {
      case "timeout":
        return {
          value: undefined,
          error: plainError(
            "Timeout",
            `The code was ended after ${formatDuration(timeoutMs)}. Do less in one run, or raise timeout_ms`,
          ),
        };
      case "cancel":
        return { value: undefined, error: plainError("Cancelled", "The call was cancelled, and the code was ended") };
      case "fault":
        return { value: undefined, error: platformError(ending.error, this.#program, code) };
      case "answer":
        return this.#read(ending.text);
    }
  }

  /** Code that names no fetch is not worth the question to its sandbox. */
  async #noticeRefusals(): Promise<void> {
    const refusals = this.#program.fetches ? await this.#network?.refusals() : null;
    if (typeof refusals === "string") this.#notices.add(refusals);
  }

  #read(text: unknown): { value: IsolateOutcome["value"]; error: CodeError | null } {
    const answer = readAnswer(text, limits.runResultMaxChars * 8);
    if (answer === null) {
      return {
        value: undefined,
        error: plainError("IsolateError", "The code broke the environment it runs in: no result could be read"),
      };
    }
    this.#log.addLeftOut(answer.logs_left_out);
    if (answer.error !== undefined) {
      const error = withHint(thrownError(answer.error, this.#program, this.#request.code), [
        ...this.#grants.methods.keys(),
      ]);
      return {
        value: undefined,
        error:
          answer.unhandled === undefined
            ? error
            : { ...error, message: `${error.message} (${unhandledWords[answer.unhandled]})` },
      };
    }
    if (answer.unawaited !== undefined && answer.unawaited > 0) {
      this.#notices.add(
        `${formatCount(answer.unawaited, "provider call was", "provider calls were")} not awaited by the code; the run waited for ${answer.unawaited === 1 ? "it" : "them"}.`,
      );
    }
    return { value: answer.value === undefined ? undefined : readTree(answer.value), error: null };
  }
}

const unhandledWords = {
  timer: "thrown in a timer, where nothing catches it",
  rejection: "a promise was rejected and nothing awaits it",
};

const plainError = (name: string, message: string): CodeError => ({
  name,
  message,
  reason: null,
  place: null,
  details: null,
});
