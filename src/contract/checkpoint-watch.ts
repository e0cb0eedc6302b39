// checkpoint-watch: answers when the machine is told to shut down, so that its files can still be stored. The machine then
// waits a short time for checkpoint-create and checkpoint-done.

import * as z from "zod";

export const CheckpointWatchRequest = z.object({ wait_ms: z.number().int() });
export type CheckpointWatchRequest = z.infer<typeof CheckpointWatchRequest>;

export const CheckpointWatchResult = z.object({ ending: z.boolean() });
export type CheckpointWatchResult = z.infer<typeof CheckpointWatchResult>;
