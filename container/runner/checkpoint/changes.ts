// What changed between two scans: the records of a layer's manifest, the names for tar, and the counts.

import { type FileHandle, open } from "node:fs/promises";
import { compare, nothing } from "./compare.ts";
import { differs, type Entry, isDirectory, ManifestReader, portable, REMOVED, record } from "./entry.ts";
import { isWithin, type Kept } from "./kept-directories.ts";

export interface Lists {
  /** The layer's records. */
  manifest: string;
  /** NUL-ended, for tar. */
  names: string;
}

interface Counts {
  files: number;
  added: number;
  changed: number;
  removed: number;
}

/** `before` null lists everything. */
export async function writeLists(
  before: string | null,
  after: string,
  lists: Lists,
  kept: Kept,
): Promise<{ counts: Counts; records: number }> {
  const counts = { files: 0, added: 0, changed: 0, removed: 0 };
  const [manifest, names] = await Promise.all([ListWriter.open(lists.manifest), ListWriter.open(lists.names)]);
  const listed = new Set<string>();
  const above = new Set<string>();
  let records = 0;
  const visit = (left: Entry | null, right: Entry | null): Promise<void> | null => {
    if (right !== null && !isDirectory(right.meta)) counts.files += 1;
    if (left?.meta === right?.meta) return null;
    records += 1;
    count(counts, left, right);
    if (right === null) return manifest.write(record(left?.path ?? "", REMOVED));
    if (isDirectory(right.meta)) listed.add(right.path);
    addAbove(above, right.path);
    return both(manifest.write(record(right.path, portable(right.meta))), names.write(`${right.path}\0`));
  };
  await compare(before === null ? nothing : await ManifestReader.open(before), await ManifestReader.open(after), visit);
  // Unpacking a file into a directory changes the directory's time: those above all that changed are archived too.
  for (const path of above) if (!listed.has(path) && isWithin(path, kept.directories)) await names.write(`${path}\0`);
  await Promise.all([manifest.close(), names.close()]);
  return { counts, records };
}

function count(counts: Counts, left: Entry | null, right: Entry | null): void {
  const was = left !== null && !isDirectory(left.meta);
  const is = right !== null && !isDirectory(right.meta);
  if (was && is) counts.changed += Number(differs(left.meta, right.meta));
  else if (is) counts.added += 1;
  else if (was) counts.removed += 1;
}

function addAbove(above: Set<string>, path: string): void {
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    const directory = path.slice(0, end);
    if (above.has(directory)) return;
    above.add(directory);
  }
}

const both = (left: Promise<void> | null, right: Promise<void> | null): Promise<void> | null =>
  left === null ? right : right === null ? left : left.then(() => right);

class ListWriter {
  readonly #file: FileHandle;
  #text = "";

  constructor(file: FileHandle) {
    this.#file = file;
  }

  static async open(path: string): Promise<ListWriter> {
    return new ListWriter(await open(path, "w", 0o600));
  }

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
