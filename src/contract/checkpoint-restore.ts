// checkpoint-restore: replaces the contents of the checkpointed directories by what the uploaded layers of a session contain.

import * as z from "zod";
import { ExtraDirectories, LayerId } from "./checkpoint-layer.ts";

export const CheckpointRestoreRequest = z.object({
  session: LayerId,
  /** The layers to apply, base first. Afterwards the runner keeps the state of the last one as a possible parent. */
  layers: z.array(LayerId).min(1),
  more: ExtraDirectories,
});
export type CheckpointRestoreRequest = z.infer<typeof CheckpointRestoreRequest>;

export const CheckpointRestoreResult = z.object({
  files: z.number().int(),
  /** Files that do not match the manifest because they were written or removed while the checkpoint was taken. */
  differing: z.number().int(),
});
export type CheckpointRestoreResult = z.infer<typeof CheckpointRestoreResult>;
