// checkpoint-text: a unified diff of two versions of one file. The stored versions are uploaded first (checkpoint-layer.ts).

import * as z from "zod";
import { LayerId } from "./checkpoint-layer.ts";

export const CheckpointTextRequest = z.object({
  session: LayerId,
  /** As checkpoint-diff answered it. */
  path: z.string(),
  /** Compares with the file that is in the machine now. */
  now: z.boolean(),
});
export type CheckpointTextRequest = z.infer<typeof CheckpointTextRequest>;

export const CheckpointTextResult = z.object({ text: z.string() });
export type CheckpointTextResult = z.infer<typeof CheckpointTextResult>;
