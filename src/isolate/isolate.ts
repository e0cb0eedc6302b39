// The interface through which the tool run_js runs code. It hides Cloudflare's types.

import type { Result } from "../contract/result.ts";
import type { Notice } from "../sandbox/answer.ts";
import type { Node } from "./value/node.ts";

export interface Isolates {
  /**
   * Runs code once, in a new isolate that is discarded afterwards. An error of the code is part of the outcome; a failure
   * means that the request itself cannot be served. It never rejects for either. It resolves by `deadline`, and soon after
   * `signal` aborts. What the code started in the sandbox is then ended, except what it started in the background.
   */
  run(request: IsolateRequest): Promise<Result<IsolateOutcome>>;
}

export interface IsolateRequest {
  code: string;
  /** A JSON value for the code; null when there is none. */
  input: { value: unknown } | null;
  /** Names of methods or providers, such as "sandbox.readFile" or "sandbox"; null for all that the caller's scopes allow. */
  tools: readonly string[] | null;
  /** The name of the sandbox that the providers act on. */
  sandbox: string;
  /** Epoch milliseconds. */
  deadline: number;
  /** The deadline as a duration, for messages. */
  timeoutMs: number;
  signal: AbortSignal;
  /** Called with the name of each provider call and with each logged line. */
  onProgress: (message: string) => void;
}

export interface IsolateOutcome {
  /** Undefined when nothing was returned or there is an error. */
  value: Node | undefined;
  error: CodeError | null;
  logs: RunLogs;
  calls: ProviderCalls[];
  /** Sentences about the run itself that its caller should read: refused requests, a long wait, calls that were not awaited. */
  remarks: string[];
  /** The notices of the sandbox that its calls were answered with. They stay due until they are shown and acknowledged. */
  notices: Notice[];
}

export interface CodeError {
  /** The name of the thrown error; "thrown value" for a value that is not an Error. */
  name: string;
  message: string;
  /** The `reason` of a SandboxError; null for other errors. */
  reason: string | null;
  /** The place in the given text, 1-based; null when it is not known. */
  place: { line: number; column: number; excerpt: string } | null;
  /** The other fields of the error and its cause, as text. */
  details: string | null;
}

export interface RunLogs {
  text: string;
  /** The number of entries that `text` does not contain. */
  omitted: number;
}

export interface ProviderCalls {
  name: string;
  count: number;
  failed: number;
  /** The total duration of these calls. */
  totalMs: number;
}
