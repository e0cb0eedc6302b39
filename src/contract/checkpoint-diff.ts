// checkpoint-diff: which files differ between two chains of layers, or between one chain and the current files. The
// manifests of the layers are uploaded first (checkpoint-layer.ts).

import * as z from "zod";
import { CheckpointDiff } from "./checkpoint.ts";
import { ExtraDirectories, LayerId } from "./checkpoint-layer.ts";

export const CheckpointCompareRequest = z.object({
  session: LayerId,
  /** A chain of layers, base first. */
  from: z.array(LayerId).min(1),
  /** A chain of layers, base first; null for the current files. */
  to: z.array(LayerId).min(1).nullable(),
  /** A file whose layers are looked up too; null for none. */
  path: z.string().nullable(),
  more: ExtraDirectories,
});
export type CheckpointCompareRequest = z.infer<typeof CheckpointCompareRequest>;

export const CheckpointCompareResult = CheckpointDiff.omit({ text: true }).extend({
  /** Where the two versions of `path` are stored; null when the request has no `path`. */
  file: z
    .object({
      /** The absolute path. */
      path: z.string(),
      /**
       * The layer that holds the file on each side; null when it is not a regular file there, or the side is the current
       * files.
       */
      from: LayerId.nullable(),
      to: LayerId.nullable(),
    })
    .nullable(),
});
export type CheckpointCompareResult = z.infer<typeof CheckpointCompareResult>;
