// Measures a chain of layers by their manifests, and what a new layer would add to it.

import { compare, emptyEntries, FoldedEntries } from "./compare.ts";
import { archivedBytes, type Entry, ManifestReader, REMOVED } from "./entry.ts";

/** The bytes in one layer, before compression. */
export async function layerBytes(manifest: string): Promise<number> {
  let bytes = 0;
  await compare(emptyEntries, await ManifestReader.open(manifest), (_, entry) => {
    bytes += bytesOf(entry);
    return null;
  });
  return bytes;
}

/**
 * The bytes of a new layer by the layer that it is relative to, base first: an entry is in it when the new changes or a layer
 * after that one list it. Takes the manifests of the chain without its base, then that of the new changes.
 */
export async function deltaBytes(manifests: readonly string[]): Promise<number[]> {
  const newest = manifests.map(() => 0);
  const readers = await Promise.all(manifests.map((path) => ManifestReader.open(path)));
  const folded = await FoldedEntries.of(readers, { removed: true });
  await compare(emptyEntries, folded, (_, entry) => {
    newest[folded.layer] = (newest[folded.layer] ?? 0) + bytesOf(entry);
    return null;
  });
  return newest.map((_, index) => newest.slice(index).reduce((sum, bytes) => sum + bytes, 0));
}

const bytesOf = (entry: Entry | null): number =>
  entry === null || entry.meta === REMOVED ? 0 : archivedBytes(entry.meta);
