// checkpoint-restore: puts what the layers of a session make in place of the kept directories' contents.

import * as z from "zod";
import { LayerId, MoreDirectories } from "./checkpoint-layer.ts";

export const CheckpointRestoreRequest = z.object({
  session: LayerId,
  /** Of the session, base first; the last one's state is then remembered as that of its id. */
  layers: z.array(LayerId).min(1),
  more: MoreDirectories,
});
export type CheckpointRestoreRequest = z.infer<typeof CheckpointRestoreRequest>;

export const CheckpointRestoreResult = z.object({
  files: z.number().int(),
  /** Files that are not as the manifest has them: they were being written or removed when the checkpoint was taken. */
  differing: z.number().int(),
});
export type CheckpointRestoreResult = z.infer<typeof CheckpointRestoreResult>;
