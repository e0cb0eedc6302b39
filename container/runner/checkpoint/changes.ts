// Compares two scans and writes what a layer is made of: the records of its manifest and the names for tar.

import { type FileHandle, open } from "node:fs/promises";
import { compare, emptyEntries } from "./compare.ts";
import { differs, type Entry, formatRecord, isDirectory, ManifestReader, portableMeta, REMOVED } from "./entry.ts";
import { isWithin, type KeptDirectories } from "./kept-directories.ts";

/** The paths of two files to write. */
export interface LayerLists {
  /** The layer's records. */
  manifest: string;
  /** The names for tar, each ended by NUL. */
  names: string;
}

interface Counts {
  files: number;
  added: number;
  changed: number;
  removed: number;
}

/** `before` is null for a layer that has everything. */
export async function writeLists(
  before: string | null,
  after: string,
  lists: LayerLists,
  kept: KeptDirectories,
): Promise<{ counts: Counts; records: number }> {
  const writer = await LayerWriter.open(lists);
  const entries = before === null ? emptyEntries : await ManifestReader.open(before);
  await compare(entries, await ManifestReader.open(after), (old, now) => writer.add(old, now));
  await writer.close(kept);
  return { counts: writer.counts, records: writer.records };
}

class LayerWriter {
  readonly #manifest: ListWriter;
  readonly #names: ListWriter;
  readonly #listedDirectories = new Set<string>();
  readonly #parents = new Set<string>();
  readonly counts: Counts = { files: 0, added: 0, changed: 0, removed: 0 };
  records = 0;

  private constructor(manifest: ListWriter, names: ListWriter) {
    this.#manifest = manifest;
    this.#names = names;
  }

  static async open({ manifest, names }: LayerLists): Promise<LayerWriter> {
    return new LayerWriter(...(await Promise.all([ListWriter.open(manifest), ListWriter.open(names)])));
  }

  /** Returns a promise only when something has to be written to disk. */
  add(before: Entry | null, after: Entry | null): Promise<void> | null {
    if (after !== null && !isDirectory(after.meta)) this.counts.files += 1;
    if (before?.meta === after?.meta) return null;
    this.records += 1;
    count(this.counts, before, after);
    if (after === null) return this.#manifest.write(formatRecord(before?.path ?? "", REMOVED));
    if (isDirectory(after.meta)) this.#listedDirectories.add(after.path);
    this.#addParents(after.path);
    return both(
      this.#manifest.write(formatRecord(after.path, portableMeta(after.meta))),
      this.#names.write(`${after.path}\0`),
    );
  }

  /** Unpacking a file changes the time of its directory, so the parents of all that changed are archived too. */
  async close(kept: KeptDirectories): Promise<void> {
    for (const path of this.#parents) {
      const isMissing = !this.#listedDirectories.has(path) && isWithin(path, kept.directories);
      if (isMissing) await this.#names.write(`${path}\0`);
    }
    await Promise.all([this.#manifest.close(), this.#names.close()]);
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
