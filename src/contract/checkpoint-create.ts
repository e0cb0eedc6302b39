// checkpoint-create: writes what changed in the checkpointed directories to an archive file in the machine. The archive is
// fetched separately (checkpoint-layer.ts).

import * as z from "zod";
import { ExtraDirectories, LayerId } from "./checkpoint-layer.ts";

export const CheckpointCreateRequest = z.object({
  /** The id of the layer to create. */
  id: LayerId,
  /**
   * Stored layers, in order of preference. The first one whose state the runner still has becomes the parent, and the
   * archive holds the differences from it.
   */
  parents: z.array(LayerId),
  more: ExtraDirectories,
});
export type CheckpointCreateRequest = z.infer<typeof CheckpointCreateRequest>;

export const CheckpointCreateResult = z.object({
  /** The layer that the archive is relative to; null when the archive holds everything. */
  parent: LayerId.nullable(),
  /** Null when nothing differs from the parent; then no layer is created. */
  archive: z
    .object({
      bytes: z.number().int(),
      /** The length of the manifest, which is the first part of the archive. */
      manifest_bytes: z.number().int(),
      sha256: z.string(),
    })
    .nullable(),
  /** The number of files in all. Directories are not counted, here and below. */
  files: z.number().int(),
  /** Differences from the parent. */
  added: z.number().int(),
  changed: z.number().int(),
  removed: z.number().int(),
});
export type CheckpointCreateResult = z.infer<typeof CheckpointCreateResult>;
