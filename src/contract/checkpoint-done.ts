// checkpoint-done: the archive of a layer is no longer needed, because the layer was stored or given up. The runner deletes
// it.

import * as z from "zod";
import { LayerId } from "./checkpoint-layer.ts";

export const CheckpointDoneRequest = z.object({
  id: LayerId,
  /** Layers whose state the runner keeps as possible parents; it drops the state of all others. */
  keep: z.array(LayerId),
});
export type CheckpointDoneRequest = z.infer<typeof CheckpointDoneRequest>;

export const CheckpointDoneResult = z.object({});
export type CheckpointDoneResult = z.infer<typeof CheckpointDoneResult>;
