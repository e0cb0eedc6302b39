// A layer is one stored object: what changed since another layer, or everything. A checkpoint is the last of a chain of them.
// Its bytes are two zstd streams, a manifest (container/runner/checkpoint/entry.ts has its form) and a tar archive.

import * as z from "zod";

export const LayerId = z.string().regex(/^[0-9a-z-]{1,64}$/);

/** Absolute paths kept beside the workspace and the home directory (setting CHECKPOINT_PATHS). */
export const MoreDirectories = z.array(z.string().startsWith("/"));

/** What a layer's bytes are sent with, in the query. */
export const LayerUpload = z.object({
  /** Of the restore or the comparison that it is part of; a new one drops what an unfinished one left. */
  session: LayerId,
  id: LayerId,
  manifest_bytes: z.coerce.number().int().positive(),
  sha256: z.string(),
});
export type LayerUpload = z.infer<typeof LayerUpload>;

export const LayerUploaded = z.object({
  /** Why the bytes are not those that were stored; null when they are. */
  damage: z.string().nullable(),
  /** What could not be unpacked of a sound archive, such as a device file; "" when everything was. */
  trouble: z.string(),
});
export type LayerUploaded = z.infer<typeof LayerUploaded>;

/** `path` selects the one file to unpack. */
export const FileUpload = LayerUpload.extend({ side: z.enum(["from", "to"]), path: z.string() });
export type FileUpload = z.infer<typeof FileUpload>;

/** Bytes that do not fit into an operation's JSON. PUT answers a Result; GET the archive's bytes with their length. */
export const streams = {
  /** GET: the archive that checkpoint-create made. */
  archive: "/v1/checkpoint-archive",
  /** PUT: the layers of a restore, base first. */
  layer: "/v1/checkpoint-layer",
  /** PUT: the manifest part of a layer, for checkpoint-diff. */
  manifest: "/v1/checkpoint-manifest",
  /** PUT: a layer from which one file is taken, for checkpoint-text. */
  file: "/v1/checkpoint-file",
} as const;

export const streamUrl = (path: string, query: Record<string, string | number>): string =>
  `http://runner${path}?${new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]))}`;
