// What a tool is. src/mcp/server.ts registers them, and call-tool.ts runs one call of one.

import type * as z from "zod";
import type { Scope } from "../src/auth/caller.ts";
import type { Failure } from "../src/contract/failure.ts";
import type { Isolates } from "../src/isolate/isolate.ts";
import type { Sandboxes } from "../src/sandbox/sandbox.ts";

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  description: string;
  hints: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean };
  input: Input;
  /** The schema of `structured`; null for a tool that answers only text and images. */
  output: z.ZodObject | null;
  run(input: z.infer<Input>, call: ToolCall): Promise<ToolAnswer>;
}

/** Ties the type of `run` to the tool's own input schema. */
export const defineTool = <Input extends z.ZodObject>(tool: Tool<Input>): Tool => tool as unknown as Tool;

/** A tool as a caller with these scopes may use it; null when it may not use it at all. */
export type ScopedTool = (scopes: ReadonlySet<Scope>) => Tool | null;

export interface ToolCall {
  sandboxes: Sandboxes;
  isolates: Isolates;
  /** The origin of this server as clients see it: "https://host". */
  origin: string;
  /** Epoch milliseconds; the time that a call may wait is counted from here. */
  arrivedAt: number;
  /** Aborts when the client cancels or goes away. */
  signal: AbortSignal;
  /** Null when the client did not ask for progress. */
  progress: ((message: string) => Promise<void>) | null;
  /** Keeps work alive after the call. */
  detach(work: Promise<unknown>): void;
}

export interface ToolAnswer {
  outcome: Outcome;
  /** Null when there is nothing to say about the sandbox. A tool never puts it into the outcome. */
  notice: ToolNotice | null;
}

/**
 * `text` and `structured` say the same: some clients show the model one, some the other. A result with an image carries no
 * structured content, or those clients would not show the image.
 */
export type Outcome =
  | { type: "content"; text: string; structured: Record<string, unknown> | null }
  | { type: "image"; text: string; image: ToolImage }
  | { type: "failure"; failure: Failure };

export interface ToolNotice {
  text: string;
  /** Called once the notice is part of an answer that reaches the client; until then later answers repeat it. */
  acknowledge(): Promise<void>;
}

export interface ToolImage {
  /** Base64. */
  data: string;
  mimeType: string;
}
