// checkpoint-done: the archive of a layer is no longer needed, because the layer was stored or given up. The runner deletes
// it.

import * as z from "zod";
import { LayerId } from "./checkpoint-layer.ts";

export const CheckpointDoneRequest = z.object({
  id: LayerId,
  /** The layers whose list of all files the runner keeps; it drops the lists of all others. */
  keep: z.array(LayerId),
  /** The chain of the newest checkpoint, whose manifests the runner keeps. An earlier Worker does not send it. */
  chain: z.array(LayerId).default([]),
});
export type CheckpointDoneRequest = z.infer<typeof CheckpointDoneRequest>;

export const CheckpointDoneResult = z.object({});
export type CheckpointDoneResult = z.infer<typeof CheckpointDoneResult>;
