// A sandbox's answer to a call: the result, and the notice that is due.

import * as z from "zod";
import type { Result } from "../contract/result.ts";

/** One or more sentences about the sandbox that accompany an answer. A notice stays due until it is acknowledged. */
export const Notice = z.object({ id: z.string(), text: z.string() });
export type Notice = z.infer<typeof Notice>;

export interface Answer<Value> {
  result: Result<Value>;
  /** What the caller should know about the machine, such as that it was restarted; null when nothing is due. */
  notice: Notice | null;
}
