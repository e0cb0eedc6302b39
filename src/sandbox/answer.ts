// What a sandbox answers to a call: the result, and the notice that is due.

import * as z from "zod";
import type { Result } from "../contract/result.ts";

/** One sentence or more about the sandbox that accompanies an answer. It stays due until it is acknowledged. */
export const Notice = z.object({ id: z.string(), text: z.string() });
export type Notice = z.infer<typeof Notice>;

export interface Answer<Value> {
  result: Result<Value>;
  /** What the caller has to know about the machine, such as that it was restarted. Null when nothing is due. */
  notice: Notice | null;
}
