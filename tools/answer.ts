// Builds the answers of tools.

import type { Failure } from "../src/contract/failure.ts";
import type { Result } from "../src/contract/result.ts";
import type { Answer, Notice } from "../src/sandbox/answer.ts";
import type { SandboxCalls } from "../src/sandbox/sandbox.ts";
import type { Outcome, ToolAnswer, ToolNotice } from "./tool.ts";

/** The answer to an operation in a sandbox, with the sandbox's notice. */
export const answerOperation = <Value>(
  sandbox: SandboxCalls,
  { result, notice }: Answer<Value>,
  format: (value: Value) => Outcome,
): ToolAnswer => ({ outcome: toOutcome(result, format), notice: toToolNotice(sandbox, notice) });

/** The answer to a request that comes without notices. */
export const answerResult = <Value>(result: Result<Value>, format: (value: Value) => Outcome): ToolAnswer => ({
  outcome: toOutcome(result, format),
  notice: null,
});

export const answerFailure = (failure: Failure): ToolAnswer => ({
  outcome: { type: "failure", failure },
  notice: null,
});

/** `message` is a sentence that says what is wrong with the arguments, and what to send instead. */
export const refuse = (message: string): ToolAnswer => answerFailure({ reason: "invalid_request", message });

export const content = (text: string, structured: Record<string, unknown> | null = null): Outcome => ({
  type: "content",
  text,
  structured,
});

const toOutcome = <Value>(result: Result<Value>, format: (value: Value) => Outcome): Outcome =>
  result.ok ? format(result.value) : { type: "failure", failure: result.failure };

const toToolNotice = (sandbox: SandboxCalls, notice: Notice | null): ToolNotice | null =>
  notice === null ? null : { text: notice.text, acknowledge: () => sandbox.acknowledge(notice) };
