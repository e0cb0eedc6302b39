// checkpoint-diff: which files differ between two chains of layers whose manifests were sent, or one chain and now.

import * as z from "zod";
import { CheckpointDiff } from "./checkpoint.ts";
import { LayerId, MoreDirectories } from "./checkpoint-layer.ts";

export const CheckpointCompareRequest = z.object({
  session: LayerId,
  from: z.array(LayerId).min(1),
  /** Null is the state of now. */
  to: z.array(LayerId).min(1).nullable(),
  path: z.string().nullable(),
  more: MoreDirectories,
});
export type CheckpointCompareRequest = z.infer<typeof CheckpointCompareRequest>;

export const CheckpointCompareResult = CheckpointDiff.omit({ text: true }).extend({
  /** Of `path`; null where none was asked for. */
  file: z
    .object({
      /** Absolute. */
      path: z.string(),
      /** The layer that has it on either side; null where it is no regular file there, or the side is now. */
      from: LayerId.nullable(),
      to: LayerId.nullable(),
    })
    .nullable(),
});
export type CheckpointCompareResult = z.infer<typeof CheckpointCompareResult>;
