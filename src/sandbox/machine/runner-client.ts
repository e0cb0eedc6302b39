// Sends requests to the runner in the machine over its port. Whatever comes back, or does not, rejects with RunnerFault, which callers
// expect.

import type * as z from "zod";
import { limits } from "../../contract/limits.ts";
import {
  type OperationName,
  operationPath,
  operations,
  type RequestOf,
  RUNNER_PORT,
  type ValueOf,
} from "../../contract/operation.ts";
import { type Result, resultOf } from "../../contract/result.ts";
import { type AnswerBounds, answerBounds } from "./answer-bounds.ts";
import type { MachinePlatform } from "./machine-platform.ts";
import { readAnswer } from "./read-answer.ts";
import { RunnerFault, unlessBroken } from "./runner-fault.ts";
import { watchPulse } from "./watch-pulse.ts";

/** The runner of a machine that is up. */
export interface RunnerClient {
  /** An implementation may turn RunnerFault into a failure, but no other error. */
  ask<Name extends OperationName>(operation: Name, request: RequestOf<Name>): Promise<Result<ValueOf<Name>>>;
  /**
   * Sends a request that is not an operation, such as a stream. Rejects with RunnerFault when no response begins. The caller bounds
   * it with the signal of `init`.
   */
  fetch(url: string, init: RequestInit): Promise<Response>;
}

/** Rejects with RunnerFault. */
export class PortRunnerClient implements RunnerClient {
  readonly #platform: Pick<MachinePlatform, "port">;

  constructor(platform: Pick<MachinePlatform, "port">) {
    this.#platform = platform;
  }

  async ask<Name extends OperationName>(operation: Name, request: RequestOf<Name>): Promise<Result<ValueOf<Name>>> {
    const bounds = answerBounds(operation, request);
    const schema: z.ZodType = resultOf(operations[operation].value);
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(request) };
    // Nobody waits for the answer of a watch.
    const isWatched = operation !== "checkpoint-watch" && bounds.maxMs > limits.runnerPulseMs;
    const answer = this.#within(bounds, isWatched, async (signal) => {
      const response = await this.fetch(`http://runner${operationPath(operation)}`, { ...init, signal });
      return readAnswer(response, { status: 200, schema, maxBytes: bounds.maxBytes });
    });
    return (await answer) as Result<ValueOf<Name>>;
  }

  fetch(url: string, init: RequestInit): Promise<Response> {
    return unlessBroken(this.#platform.port(RUNNER_PORT).fetch(url, { ...init, redirect: "manual" }));
  }

  /** Rejects when the time is over, or when the runner has stopped before that, whatever becomes of the work. */
  async #within<Value>(
    { maxMs }: AnswerBounds,
    isWatched: boolean,
    work: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    const abort = new AbortController();
    const late = Promise.withResolvers<never>();
    const end = () => {
      late.reject(new RunnerFault("late"));
      abort.abort();
    };
    const timer = setTimeout(end, maxMs);
    const endWatch = isWatched ? watchPulse(() => this.#responds(), end) : () => undefined;
    try {
      return await Promise.race([unlessBroken(work(abort.signal)), late.promise]);
    } finally {
      clearTimeout(timer);
      endWatch();
    }
  }

  async #responds(): Promise<boolean> {
    try {
      await this.ask("info", {});
      return true;
    } catch (error) {
      if (!(error instanceof RunnerFault)) throw error;
      return false;
    }
  }
}
