// What a tool is. server.ts registers them; one call of one goes through call-tool.ts.

import type * as z from "zod";
import type { Scope } from "../src/auth/caller.ts";
import type { Failure } from "../src/contract/failure.ts";
import type { Isolates } from "../src/isolate/isolate.ts";
import type { Notice } from "../src/sandbox/answer.ts";
import type { SandboxCalls, Sandboxes } from "../src/sandbox/sandbox.ts";

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  description: string;
  hints: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean };
  /** The scope a caller must have to see it. */
  scope: Scope;
  input: Input;
  /** Of `structured`; null for a tool whose answers are text and images only. */
  output: z.ZodObject | null;
  run(input: z.infer<Input>, call: ToolCall): Promise<ToolAnswer>;
}

/** Ties the type of `run` to the tool's own input schema. */
export const defineTool = <Input extends z.ZodObject>(tool: Tool<Input>): Tool => tool as unknown as Tool;

export interface ToolCall {
  sandboxes: Sandboxes;
  isolates: Isolates;
  /** Of this server, as clients see it: "https://host". */
  origin: string;
  /** Epoch milliseconds; what a call may wait for is counted from here. */
  arrivedAt: number;
  /** Aborts when the client cancels or goes away. */
  signal: AbortSignal;
  /** Null where the client did not ask for progress. */
  progress: ((message: string) => Promise<void>) | null;
  /** Keeps work alive after the call. */
  detach(work: Promise<unknown>): void;
}

/**
 * `text` and `structured` say the same: some clients show the model one, some the other. A result with an image carries no
 * structured content, or those clients would not show it.
 */
export type ToolAnswer =
  | { text: string; structured: Record<string, unknown> | null }
  | { text: string; image: ToolImage }
  | { failure: Failure; notice: string | null };

/** The text that goes into the answer; the notice is not due any more. */
export async function showNotice(sandbox: SandboxCalls, notice: Notice | null): Promise<string | null> {
  if (notice === null) return null;
  await sandbox.acknowledge(notice);
  return notice.text;
}

export interface ToolImage {
  /** Base64. */
  data: string;
  mimeType: string;
}
