// Manifests list what is in a tree: one record for each entry, ended by NUL, sorted by their bytes. A record is `path//meta`;
// neither part can contain `//`. Paths are relative to `/`. All of it is bytes, held as latin1 text. Meta is
// `type mode mtime size uid gid`, followed by `inode ctime` in a scan of this machine, or `-` for what a layer removes.

import { type FileHandle, open } from "node:fs/promises";

export interface Entry {
  path: string;
  meta: string;
}

/** A cursor over entries in order. */
export interface Entries {
  /** Null at the end. */
  readonly current: Entry | null;
  /** Moves to the next entry. Returns null when that is done, and a promise when something has to be read first. */
  next(): Promise<void> | null;
  close(): Promise<void>;
}

export const REMOVED = "-";

export const formatRecord = (path: string, meta: string): string => `${path}//${meta}\0`;

/** The format in which `find` prints the records of a scan. */
export const SCAN_FORMAT = "%p//%y %m %T@ %s %U %G %i %C@\\0";

/** The part of meta that means the same in every machine. */
export const portableMeta = (meta: string): string => meta.split(" ").slice(0, 6).join(" ");

/** About how many bytes an entry takes in an archive: its contents, and what tar and the manifest say about it. */
export const archivedBytes = (meta: string): number => ENTRY_BYTES + (meta.startsWith("f") ? sizeIn(meta) : 0);

const ENTRY_BYTES = 512;

/** The fourth field. Every entry of a scan is measured, which splitting all fields would slow down. */
function sizeIn(meta: string): number {
  const start = meta.indexOf(" ", meta.indexOf(" ", meta.indexOf(" ") + 1) + 1) + 1;
  return Number.parseInt(meta.slice(start, meta.indexOf(" ", start)), 10);
}

export const isDirectory = (meta: string): boolean => meta.startsWith("d");

/** The kinds of entries by the letter of their type. */
export const ENTRY_KINDS: Record<string, "file" | "directory" | "symlink" | "fifo"> = {
  ...{ f: "file", d: "directory", l: "symlink", p: "fifo" },
};

/** Whether a caller would call the entry changed. A directory changes by its mode and owner, not by its contents. */
export function differs(before: string, after: string): boolean {
  const [oldType, oldMode, ...oldFields] = before.split(" ");
  const [type, mode, ...fields] = after.split(" ");
  if (oldType !== type || oldMode !== mode) return true;
  return (type === "d" ? OWNER_FIELDS : ALL_FIELDS).some((field) => oldFields[field] !== fields[field]);
}

/** The indexes of `mtime size uid gid` after the mode. */
const ALL_FIELDS = [0, 1, 2, 3];
const OWNER_FIELDS = [2, 3];

/** The bytes of a manifest's path, as Node's functions take them. */
export const pathBytes = (path: string): Buffer => Buffer.from(path, "latin1");

const CHUNK_BYTES = 256 * 1024;

export class ManifestReader implements Entries {
  readonly #file: FileHandle;
  readonly #chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  #records: string[] = [];
  #index = 0;
  /** The start of a record whose end has not been read. */
  #incomplete = "";
  current: Entry | null = null;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async open(path: string): Promise<ManifestReader> {
    const reader = new ManifestReader(await open(path, "r"));
    await reader.next();
    return reader;
  }

  next(): Promise<void> | null {
    if (this.#index >= this.#records.length) return this.#refill();
    this.current = parse(this.#records[this.#index++] ?? "");
    return null;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #refill(): Promise<void> {
    this.#index = 0;
    this.#records = [];
    while (this.#records.length === 0) {
      const { bytesRead } = await this.#file.read(this.#chunk, 0, CHUNK_BYTES);
      if (bytesRead === 0) {
        this.current = null;
        return;
      }
      const records = (this.#incomplete + this.#chunk.toString("latin1", 0, bytesRead)).split("\0");
      this.#incomplete = records.pop() ?? "";
      this.#records = records;
    }
    void this.next();
  }
}

function parse(text: string): Entry {
  const end = text.lastIndexOf("//");
  return { path: text.slice(0, end), meta: text.slice(end + 2) };
}

/** Orders by path, as for Array.sort; null comes last. */
export function compareEntries(a: Entry | null, b: Entry | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (a.path === b.path) return 0;
  return `${a.path}//` < `${b.path}//` ? -1 : 1;
}
