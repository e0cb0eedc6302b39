// checkpoint-create: writes what changed in the checkpointed directories to an archive file in the machine. The archive is
// fetched separately (checkpoint-layer.ts).

import * as z from "zod";
import { ExtraDirectories, LayerId } from "./checkpoint-layer.ts";
import { limits } from "./limits.ts";

export const CheckpointCreateRequest = z.object({
  /** The id of the layer to create. */
  id: LayerId,
  /**
   * The chain that the newest checkpoint consists of, its last layer first; empty for an archive of everything. The runner
   * chooses the parent among them: the last layer, or an earlier one when the layers after it are better replaced. It
   * stores everything again when that is better still, or when it does not know the chain.
   */
  parents: z.array(LayerId),
  more: ExtraDirectories,
});
export type CheckpointCreateRequest = z.infer<typeof CheckpointCreateRequest>;

export const CheckpointCreateResult = z.object({
  /** The layer that the archive is relative to; null when the archive holds everything. */
  parent: LayerId.nullable(),
  /** Null when nothing differs from the last layer of the chain, which is then the parent; no layer is created. */
  archive: z
    .object({
      bytes: z.number().int().positive().max(limits.checkpointsQuotaBytes),
      /** The length of the manifest, which is the first part of the archive. */
      manifest_bytes: z.number().int().positive(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    })
    .nullable(),
  /** The number of files in all. Directories are not counted, here and below. */
  files: z.number().int().min(0),
  /** Differences from the last layer of the chain. */
  added: z.number().int().min(0),
  changed: z.number().int().min(0),
  removed: z.number().int().min(0),
});
export type CheckpointCreateResult = z.infer<typeof CheckpointCreateResult>;
