// What a provider is: methods that code in an isolate may call, under one name. A file in this directory is one provider.

import type * as z from "zod";
import type { Scope } from "../../auth/caller.ts";
import type { Result } from "../../contract/result.ts";
import type { Notice } from "../../sandbox/answer.ts";
import type { SandboxCalls } from "../../sandbox/sandbox.ts";
import type { SandboxState } from "../../sandbox/storage/state.ts";

export interface Provider {
  name: string;
  /** One line, for help(). */
  summary: string;
  methods: Readonly<Record<string, Method>>;
}

export interface Method<Input extends z.ZodObject = z.ZodObject> {
  /** The scope a caller must have for it to be there. */
  scope: Scope;
  /** One line, for help(). */
  summary: string;
  /** Arguments are checked with it, and described from it. */
  input: Input;
  /** Fields that may be given in this order instead of in an object: `readFile("a.txt")`. */
  positional: readonly (keyof z.infer<Input> & string)[];
  /** TypeScript of the value that is answered, or its schema to derive that from. */
  output: z.ZodType | string;
  /** Never rejects for a foreseeable fault. */
  run(input: z.infer<Input>, run: ProviderRun): Promise<Result<unknown>>;
}

/** Ties the type of `run` to the method's own input schema. */
export const defineMethod = <Input extends z.ZodObject>(method: Method<Input>): Method => method as unknown as Method;

/** What a method may use of the run it is called in. It is made in the Worker, and nothing of it is in the isolate. */
export interface ProviderRun {
  sandbox: SandboxCalls;
  state: SandboxState;
  /** Milliseconds until the run is ended. */
  leftMs(): number;
  signal: AbortSignal;
  /** A sentence for the caller. */
  notice(text: string): void;
  /** Done when the run ends before `forget` is called: ends what a call has started. */
  onEnd(work: () => Promise<unknown>): { forget(): void };
}

/** Shows a notice of the sandbox to the caller of the run; it is not due any more. */
export async function showNotice(run: ProviderRun, notice: Notice | null): Promise<void> {
  if (notice === null) return;
  run.notice(notice.text);
  await run.sandbox.acknowledge(notice);
}
