// The interface through which the tool `run_js` runs code. Cloudflare's types stay behind it.

import type { Result } from "../contract/result.ts";
import type { Notice } from "../sandbox/sandbox.ts";
import type { Node } from "./value/node.ts";

export interface Isolates {
  /**
   * Runs code once, in an isolate of its own that is gone afterwards. What the code does wrong is part of the outcome; a
   * failure says that the request itself cannot be served. Never rejects for either. Resolves at `deadline` at the latest,
   * and soon after `signal` aborts; what the code started in the sandbox without meaning it to go on is then ended.
   */
  run(request: IsolateRequest): Promise<Result<IsolateOutcome>>;
}

export interface IsolateRequest {
  code: string;
  /** JSON; null where none was given. */
  input: { value: unknown } | null;
  /** Names such as "sandbox.readFile" or "sandbox"; null for all that the caller's scopes allow. */
  tools: readonly string[] | null;
  sandbox: string;
  /** Epoch milliseconds. */
  deadline: number;
  /** The same as a duration, for words. */
  timeoutMs: number;
  signal: AbortSignal;
  /** Told of each call and each logged line, as they come. */
  onProgress: (message: string) => void;
}

export interface IsolateOutcome {
  /** Absent where nothing was returned, or where there is an error. */
  value: Node | undefined;
  error: CodeError | null;
  logs: RunLogs;
  calls: ProviderCalls[];
  /** Sentences about the run itself that its caller should read: a long wait, calls that were not awaited. */
  remarks: string[];
  /** The notices of the sandbox that its calls were answered with. They stay due until whoever shows them acknowledges them. */
  notices: Notice[];
}

export interface CodeError {
  /** Of the thrown error; "thrown value" where it is not one. */
  name: string;
  message: string;
  /** The tag of a SandboxError. */
  reason: string | null;
  /** In the text that was given; null where nothing says. */
  place: { line: number; column: number; excerpt: string } | null;
  /** What else the thrown value says, such as its code or its cause. */
  details: string | null;
}

export interface RunLogs {
  text: string;
  /** Entries that `text` has not. */
  leftOut: number;
}

export interface ProviderCalls {
  name: string;
  count: number;
  failed: number;
  /** Of all of them together. */
  totalMs: number;
}
