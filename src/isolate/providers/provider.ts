// A provider is a set of methods under one name that code in an isolate may call.

import type * as z from "zod";
import type { Scope } from "../../auth/caller.ts";
import type { OperationName, RequestOf, ValueOf } from "../../contract/operation.ts";
import type { Result } from "../../contract/result.ts";
import type { SandboxState } from "../../sandbox/storage/state.ts";

export interface Provider {
  name: string;
  /** One line, for help(). */
  summary: string;
  methods: Readonly<Record<string, Method>>;
}

export interface Method<Input extends z.ZodObject = z.ZodObject> {
  /** The scope without which a caller's code does not get the method. */
  scope: Scope;
  /** One line, for help(). */
  summary: string;
  /** Checks the arguments; their description in help() is generated from it. */
  input: Input;
  /** Fields that may be passed in this order instead of in an object: `readFile("a.txt")`. */
  positional: readonly (keyof z.infer<Input> & string)[];
  /** The TypeScript type of the returned value, or a schema from which the type is generated. */
  output: z.ZodType | string;
  /** Never rejects for a foreseeable fault. */
  run(input: z.infer<Input>, run: ProviderRun): Promise<Result<unknown>>;
}

/** Ties the type of `run` to the method's own input schema. */
export const defineMethod = <Input extends z.ZodObject>(method: Method<Input>): Method => method as unknown as Method;

/** What a method may use of the run that called it. It exists in the Worker only; nothing of it is in the isolate. */
export interface ProviderRun {
  /**
   * Does one operation in the sandbox. Never rejects for a foreseeable fault. A notice of the sandbox goes into the answer of
   * the run.
   */
  call<Name extends OperationName>(operation: Name, request: RequestOf<Name>): Promise<Result<ValueOf<Name>>>;
  state: SandboxState;
  /** Milliseconds until the run is ended. */
  remainingMs(): number;
  /** Aborts when the run ends. */
  signal: AbortSignal;
  /** Adds a sentence to the answer of the run, for its caller. */
  addRemark(text: string): void;
  /** Calls `work` when the run ends, unless `forget` is called first. It ends what a method has started. */
  onEnd(work: () => Promise<unknown>): { forget(): void };
}
