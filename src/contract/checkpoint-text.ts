// checkpoint-text: a unified diff of one file, whose versions were sent before.

import * as z from "zod";
import { LayerId } from "./checkpoint-layer.ts";

export const CheckpointTextRequest = z.object({
  session: LayerId,
  path: z.string(),
  /** Compare with the file that is in the machine now. */
  now: z.boolean(),
});
export type CheckpointTextRequest = z.infer<typeof CheckpointTextRequest>;

export const CheckpointTextResult = z.object({ text: z.string() });
export type CheckpointTextResult = z.infer<typeof CheckpointTextResult>;
