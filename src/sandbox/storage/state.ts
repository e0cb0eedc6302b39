// The interface to the small JSON values of one sandbox that code in an isolate stores between runs.

import * as z from "zod";
import type { Result } from "../../contract/result.ts";

export const StateRequest = z.discriminatedUnion("action", [
  z.object({ action: z.literal("get"), key: z.string() }),
  /** `value` is JSON text. */
  z.object({ action: z.literal("set"), key: z.string(), value: z.string() }),
  z.object({ action: z.literal("delete"), key: z.string() }),
  z.object({ action: z.literal("list"), prefix: z.string() }),
]);
export type StateRequest = z.infer<typeof StateRequest>;

/**
 * `get` resolves to the value, or undefined when there is none; `delete` to whether there was one; `list` to the keys with the
 * prefix, in order. Never rejects for a foreseeable fault.
 */
export type SandboxState = (request: StateRequest) => Promise<Result<unknown>>;
