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
  /** Limits the comparison to a path, whose layers are looked up too when it is a file; null for none. */
  path: z.string().nullable(),
  more: ExtraDirectories,
});
export type CheckpointCompareRequest = z.infer<typeof CheckpointCompareRequest>;

export const CheckpointCompareResult = CheckpointDiff.omit({ text: true }).extend({
  /** Where the two versions of `path` are stored; null when there is no text to compare. */
  file: z
    .object({
      /** The absolute path, in the runner's own encoding, to be sent back as it is. */
      path: z.string(),
      /**
       * The layer that holds the file on each side; null when it is neither a file nor a symlink there, or the side is the
       * current files.
       */
      from: LayerId.nullable(),
      to: LayerId.nullable(),
    })
    .nullable(),
});
export type CheckpointCompareResult = z.infer<typeof CheckpointCompareResult>;
