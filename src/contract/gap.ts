// What stands between a machine and its host that the engine could not set up.

import * as z from "zod";
import { answerList } from "./answer-list.ts";

/** `system_calls`: they are not filtered. `memory`: it is limited for each process, not for the machine as a whole. */
export const Gap = z.enum(["system_calls", "memory"]);
export type Gap = z.infer<typeof Gap>;

export const Gaps = answerList(Gap);
