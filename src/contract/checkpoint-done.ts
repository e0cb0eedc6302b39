// checkpoint-done: a layer is stored, so its archive may go.

import * as z from "zod";
import { LayerId } from "./checkpoint-layer.ts";

export const CheckpointDoneRequest = z.object({
  /** Whether it was stored or given up. */
  id: LayerId,
  /** Layers whose state is to be remembered; all others are forgotten. */
  keep: z.array(LayerId),
});
export type CheckpointDoneRequest = z.infer<typeof CheckpointDoneRequest>;

export const CheckpointDoneResult = z.object({});
export type CheckpointDoneResult = z.infer<typeof CheckpointDoneResult>;
