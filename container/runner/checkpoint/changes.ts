// Writes what a layer is made of: the records of its manifest and the names for tar. They are the differences between two scans,
// or the records of several layers that become one.

import { type FileHandle, open } from "node:fs/promises";
import { compare, emptyEntries, FoldedEntries } from "./compare.ts";
import { deepTop } from "./deep-paths.ts";
import {
  archivedBytes,
  differs,
  type Entry,
  formatRecord,
  isDirectory,
  ManifestReader,
  portableMeta,
  REMOVED,
} from "./entry.ts";
import { isWithin, type KeptDirectories } from "./kept-directories.ts";

/** The paths of the files to write. */
export interface LayerLists {
  /** The layer's records. */
  manifest: string;
  /** The names for tar, each ended by NUL. */
  names: string;
  /** The tops of the deep subtrees that are archived apart, each ended by NUL. */
  deep: string;
}

interface Counts {
  files: number;
  added: number;
  changed: number;
  removed: number;
}

export interface WrittenLists {
  counts: Counts;
  records: number;
  /** About how many bytes an archive of everything would take. */
  fullBytes: number;
}

/** `before` is null for a layer that has everything. */
export async function writeLists(
  before: string | null,
  after: string,
  lists: LayerLists,
  kept: KeptDirectories,
): Promise<WrittenLists> {
  const writer = await LayerWriter.open(lists);
  const entries = before === null ? emptyEntries : await ManifestReader.open(before);
  await compare(entries, await ManifestReader.open(after), (old, now) => writer.add(old, now));
  await writer.close(kept);
  const { counts, records, fullBytes } = writer;
  return { counts, records, fullBytes };
}

/** Writes the lists of one layer that replaces several consecutive ones, from their manifests, oldest first. */
export async function writeMergedLists(
  manifests: readonly string[],
  lists: LayerLists,
  kept: KeptDirectories,
): Promise<void> {
  const writer = await LayerWriter.open(lists);
  const readers = await Promise.all(manifests.map((path) => ManifestReader.open(path)));
  const merged = await FoldedEntries.of(readers, { removed: true });
  await compare(emptyEntries, merged, (_, entry) => (entry === null ? null : writer.write(entry)));
  await writer.close(kept);
}

class LayerWriter {
  readonly #manifest: ListWriter;
  readonly #names: ListWriter;
  readonly #deep: ListWriter;
  readonly #deepTops = new Set<string>();
  readonly #listedDirectories = new Set<string>();
  readonly #parents = new Set<string>();
  readonly counts: Counts = { files: 0, added: 0, changed: 0, removed: 0 };
  records = 0;
  fullBytes = 0;

  private constructor(manifest: ListWriter, names: ListWriter, deep: ListWriter) {
    this.#manifest = manifest;
    this.#names = names;
    this.#deep = deep;
  }

  static async open({ manifest, names, deep }: LayerLists): Promise<LayerWriter> {
    return new LayerWriter(
      ...(await Promise.all([ListWriter.open(manifest), ListWriter.open(names), ListWriter.open(deep)])),
    );
  }

  /** Returns a promise only when something has to be written to disk. */
  add(before: Entry | null, after: Entry | null): Promise<void> | null {
    if (after !== null) {
      this.fullBytes += archivedBytes(after.meta);
      if (!isDirectory(after.meta)) this.counts.files += 1;
    }
    if (before?.meta === after?.meta) return null;
    this.records += 1;
    count(this.counts, before, after);
    return this.write(after ?? { path: before?.path ?? "", meta: REMOVED });
  }

  /** Returns a promise only when something has to be written to disk. */
  write({ path, meta }: Entry): Promise<void> | null {
    const top = deepTop(path);
    if (top !== null) return this.#writeDeep(top, { path, meta });
    if (meta === REMOVED) return this.#manifest.write(formatRecord(path, REMOVED));
    if (isDirectory(meta)) this.#listedDirectories.add(path);
    this.#addParents(path);
    return both(this.#manifest.write(formatRecord(path, portableMeta(meta))), this.#names.write(`${path}\0`));
  }

  /** A removal too changes the subtree, which is archived as a whole. */
  #writeDeep(top: string, { path, meta }: Entry): Promise<void> | null {
    this.#addParents(top);
    const record = formatRecord(path, meta === REMOVED ? REMOVED : portableMeta(meta));
    const written = this.#manifest.write(record);
    if (this.#deepTops.has(top)) return written;
    this.#deepTops.add(top);
    return both(written, this.#deep.write(`${top}\0`));
  }

  /** Unpacking a file changes the time of its directory, so the parents of all that changed are archived too. */
  async close(kept: KeptDirectories): Promise<void> {
    for (const path of this.#parents) {
      const isMissing = !this.#listedDirectories.has(path) && isWithin(path, kept.directories);
      if (isMissing) await this.#names.write(`${path}\0`);
    }
    await Promise.all([this.#manifest.close(), this.#names.close(), this.#deep.close()]);
  }

  #addParents(path: string): void {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const directory = path.slice(0, end);
      if (this.#parents.has(directory)) return;
      this.#parents.add(directory);
    }
  }
}

function count(counts: Counts, before: Entry | null, after: Entry | null): void {
  const wasFile = before !== null && !isDirectory(before.meta);
  const isFile = after !== null && !isDirectory(after.meta);
  if (wasFile && isFile) counts.changed += Number(differs(before.meta, after.meta));
  else if (isFile) counts.added += 1;
  else if (wasFile) counts.removed += 1;
}

const both = (first: Promise<void> | null, second: Promise<void> | null): Promise<void> | null =>
  first === null ? second : second === null ? first : first.then(() => second);

class ListWriter {
  readonly #file: FileHandle;
  #text = "";

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async open(path: string): Promise<ListWriter> {
    return new ListWriter(await open(path, "w", 0o600));
  }

  /** Returns a promise only when something has to be written to disk. */
  write(text: string): Promise<void> | null {
    this.#text += text;
    return this.#text.length > 256 * 1024 ? this.#flush() : null;
  }

  async close(): Promise<void> {
    await this.#flush();
    await this.#file.close();
  }

  async #flush(): Promise<void> {
    const text = this.#text;
    this.#text = "";
    if (text !== "") await this.#file.writeFile(Buffer.from(text, "latin1"));
  }
}
