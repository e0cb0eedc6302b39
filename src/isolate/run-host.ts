// What an isolate is handed: one method, `call`. Everything it may do goes through here, is checked and counted here, and ends
// here when the run does. It is given as an argument, not as a binding, so that the isolate's `env` is empty, and it lives in
// the request that made it: no registry, nothing to guess, and it dies with the client.
//
// A public method or getter of an RpcTarget can be called from inside, so all else is #private.

import { RpcTarget } from "cloudflare:workers";
import type { Failure } from "../contract/failure.ts";
import { limits } from "../contract/limits.ts";
import { fail, type Result } from "../contract/result.ts";
import { formatFailure } from "../format/format-failure.ts";
import { readArguments } from "./arguments.ts";
import type { Budget } from "./budget.ts";
import type { Grants } from "./grants.ts";
import { helpText } from "./help.ts";
import { plainSize } from "./plain-data.ts";
import type { ProviderRun } from "./providers/provider.ts";
import type { RunLog } from "./run-log.ts";

export interface RunHostOptions {
  grants: Grants;
  budget: Budget;
  log: RunLog;
  run: ProviderRun;
  onCall: (name: string) => void;
}

type HostAnswer = { ok: true; value: unknown } | { ok: false; failure: Failure; message: string };

export class RunHost extends RpcTarget {
  readonly #options: RunHostOptions;

  constructor(options: RunHostOptions) {
    super();
    this.#options = options;
  }

  /** `log` takes a batch of log entries; `help` a topic; any other name is a method of a provider, with its arguments. */
  async call(name: unknown, args: unknown): Promise<HostAnswer | boolean> {
    // One real wait in each call: without it a loop of calls would keep the timer of the run from firing.
    await scheduler.wait(0);
    const { run, log } = this.#options;
    if (run.signal.aborted) return refuse({ reason: "cancelled" }, "The run has ended");
    if (name === "log") return log.add(args);
    return this.#counted(typeof name === "string" ? name : "", Array.isArray(args) ? args : []);
  }

  async #counted(name: string, args: unknown[]): Promise<HostAnswer> {
    const { budget, grants, onCall } = this.#options;
    const known = name === "help" || grants.methods.has(name);
    const startedAt = Date.now();
    let failed = true;
    try {
      const refusal = budget.enter();
      if (refusal !== null) return { ok: false, ...refusal };
      onCall(name);
      const answer = await this.#answer(name, args);
      failed = !answer.ok;
      return answer;
    } finally {
      budget.leave();
      budget.record(known ? name : "(unknown)", Date.now() - startedAt, failed);
    }
  }

  async #answer(name: string, args: unknown[]): Promise<HostAnswer> {
    const { budget, grants, run } = this.#options;
    const sent = budget.cross(`The arguments of ${name}`, plainSize(args, limits.runCallMaxBytes));
    if (sent !== null) return { ok: false, ...sent };
    if (name === "help") return { ok: true, value: helpText(typeof args[0] === "string" ? args[0] : null, grants) };
    const method = grants.methods.get(name);
    if (method === undefined) {
      const message = `${name} is not available in this run`;
      return refuse({ reason: "invalid_request", message }, message);
    }
    const parsed = readArguments(name, method, args);
    if (!parsed.ok) return refuse(parsed.failure, formatFailure(parsed.failure));
    const result = await this.#run(name, () => method.run(parsed.value, run));
    if (!result.ok) return refuse(result.failure, formatFailure(result.failure));
    const received = budget.cross(`The result of ${name}`, plainSize(result.value, limits.runCallMaxBytes));
    return received === null ? result : { ok: false, ...received };
  }

  /** A bug in a provider stays in the log of the Worker; code inside learns that there was one. */
  async #run(name: string, work: () => Promise<Result<unknown>>): Promise<Result<unknown>> {
    try {
      return await work();
    } catch (error) {
      console.error(`${name} threw:`, error);
      return fail({ reason: "refused", subject: name, message: "the server failed in it" });
    }
  }
}

const refuse = (failure: Failure, message: string): HostAnswer => ({ ok: false, failure, message });
