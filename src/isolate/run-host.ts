// The object that an isolate receives. Its only method, `call`, is everything that the isolate may do outside itself: each
// call is checked and counted here, and refused once the run has ended. It is passed as an argument and not as a binding, so
// the isolate's `env` is empty. It belongs to the request that made it: there is no registry to look up or guess, and it
// ends with the client.
//
// Code in the isolate can call any public method or getter of an RpcTarget, so everything else is #private.

import { RpcTarget } from "cloudflare:workers";
import type { Failure } from "../contract/failure.ts";
import { limits } from "../contract/limits.ts";
import { fail, type Result } from "../contract/result.ts";
import { formatFailure } from "../format/format-failure.ts";
import { readArguments } from "./arguments.ts";
import type { Budget } from "./budget.ts";
import type { Grants } from "./grants.ts";
import { formatHelp } from "./help.ts";
import { measurePlainData } from "./plain-data.ts";
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

  /**
   * `log` takes a batch of log entries, `all-logs` every entry of the run (from a runner that ended it by force), `help` a
   * topic, and any other name (a provider's method) an array of arguments.
   */
  async call(name: unknown, args: unknown): Promise<HostAnswer | boolean> {
    // Each call has one real wait: otherwise a loop of calls would keep the timer of the run from firing.
    await scheduler.wait(0);
    const { run, log } = this.#options;
    if (name === "log") return log.add(args);
    if (name === "all-logs") return log.addMissing(args);
    if (run.signal.aborted) return refuse({ reason: "cancelled" }, "The run has ended");
    return this.#callCounted(typeof name === "string" ? name : "", Array.isArray(args) ? args : []);
  }

  async #callCounted(name: string, args: unknown[]): Promise<HostAnswer> {
    const { budget, grants, onCall } = this.#options;
    const isKnown = name === "help" || grants.methods.has(name);
    const startedAt = Date.now();
    let hasFailed = true;
    try {
      const refusal = budget.beginCall();
      if (refusal !== null) return { ok: false, ...refusal };
      onCall(name);
      const answer = await this.#callMethod(name, args);
      hasFailed = !answer.ok;
      return answer;
    } finally {
      budget.endCall();
      budget.record(isKnown ? name : "(unknown)", Date.now() - startedAt, hasFailed);
    }
  }

  async #callMethod(name: string, args: unknown[]): Promise<HostAnswer> {
    const { budget, grants, run } = this.#options;
    const sent = budget.addTransfer(`The arguments of ${name}`, measurePlainData(args, limits.runCallMaxBytes));
    if (sent !== null) return { ok: false, ...sent };
    if (name === "help") return { ok: true, value: formatHelp(typeof args[0] === "string" ? args[0] : null, grants) };
    const method = grants.methods.get(name);
    if (method === undefined) {
      const message = `${name} is not available in this run`;
      return refuse({ reason: "invalid_request", message }, message);
    }
    const parsed = readArguments(name, method, args);
    if (!parsed.ok) return refuse(parsed.failure, formatFailure(parsed.failure));
    const result = await this.#withoutThrowing(name, () => method.run(parsed.value, run));
    if (!result.ok) return refuse(result.failure, formatFailure(result.failure));
    const received = budget.addTransfer(
      `The result of ${name}`,
      measurePlainData(result.value, limits.runCallMaxBytes),
    );
    return received === null ? result : { ok: false, ...received };
  }

  /** The details of a bug in a provider stay in the Worker's log; the code only learns that there was one. */
  async #withoutThrowing(name: string, work: () => Promise<Result<unknown>>): Promise<Result<unknown>> {
    try {
      return await work();
    } catch (error) {
      console.error(`${name} threw:`, error);
      return fail({ reason: "refused", subject: name, message: "the server failed in it" });
    }
  }
}

const refuse = (failure: Failure, message: string): HostAnswer => ({ ok: false, failure, message });
