// A layer is one stored object: the differences from another layer, or everything. A checkpoint is a chain of layers, named
// by its last one. The bytes of a layer are two zstd streams: a manifest (its format is in
// container/runner/checkpoint/entry.ts) and a tar archive. Because they do not fit into an operation's JSON, layers travel
// over HTTP paths of their own.

import * as z from "zod";

export const LayerId = z.string().regex(/^[0-9a-z-]{1,64}$/);

/** Absolute paths that are checkpointed besides the workspace and the home directory (setting CHECKPOINT_PATHS). */
export const ExtraDirectories = z.array(z.string().startsWith("/"));

/** The query parameters of a layer upload. */
export const LayerUpload = z.object({
  /** The restore or comparison that the upload belongs to. A new session discards what an unfinished one left behind. */
  session: LayerId,
  id: LayerId,
  manifest_bytes: z.coerce.number().int().positive(),
  sha256: z.string(),
});
export type LayerUpload = z.infer<typeof LayerUpload>;

export const LayerUploadResult = z.object({
  /** How the bytes differ from those that were stored; null when they are intact. */
  damage: z.string().nullable(),
  /** What could not be unpacked from an intact archive, such as a device file; "" when everything was unpacked. */
  trouble: z.string(),
  /** The file is stored under this other name, because it was a hard link; null when it was unpacked. */
  stored_as: z.string().nullable().default(null),
});
export type LayerUploadResult = z.infer<typeof LayerUploadResult>;

/** Unpacks only the file `path`, which checkpoint-diff answered, as one side of a comparison. */
export const FileUpload = LayerUpload.extend({
  side: z.enum(["from", "to"]),
  path: z.string(),
  /** The name under which the archive has the file; that of `path` when absent. */
  stored_as: z.string().optional(),
});
export type FileUpload = z.infer<typeof FileUpload>;

/** PUT answers with a Result of LayerUploadResult; GET answers with the bytes of the archive and their Content-Length. */
export const STREAM_PATHS = {
  /** GET: the archive that checkpoint-create wrote. */
  archive: "/v1/checkpoint-archive",
  /** PUT: one layer of a restore. The base comes first. */
  layer: "/v1/checkpoint-layer",
  /** PUT: the manifest of a layer, for checkpoint-diff. */
  manifest: "/v1/checkpoint-manifest",
  /** PUT: a layer from which one file is unpacked, for checkpoint-text. */
  file: "/v1/checkpoint-file",
} as const;
