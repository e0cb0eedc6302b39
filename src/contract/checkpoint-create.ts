// checkpoint-create: writes what changed in the kept directories to an archive file in the machine, to be fetched afterwards.

import * as z from "zod";
import { LayerId, MoreDirectories } from "./checkpoint-layer.ts";

export const CheckpointCreateRequest = z.object({
  /** Of the layer to make. */
  id: LayerId,
  /** Stored layers, the preferred first: the first whose state the runner remembers is what changes are told against. */
  parents: z.array(LayerId),
  more: MoreDirectories,
});
export type CheckpointCreateRequest = z.infer<typeof CheckpointCreateRequest>;

export const CheckpointCreateResult = z.object({
  /** What the archive builds on; null for one that stands alone. */
  parent: LayerId.nullable(),
  /** Null where nothing differs from the parent: then there is no archive, and no such layer. */
  archive: z
    .object({
      bytes: z.number().int(),
      /** The first bytes, which are the manifest. */
      manifest_bytes: z.number().int(),
      sha256: z.string(),
    })
    .nullable(),
  /** Files in all, and against the parent; directories are not counted. */
  files: z.number().int(),
  added: z.number().int(),
  changed: z.number().int(),
  removed: z.number().int(),
});
export type CheckpointCreateResult = z.infer<typeof CheckpointCreateResult>;
