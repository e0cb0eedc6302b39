// Manifests: what is in a tree, one NUL-ended record an entry, sorted by their bytes. A record is `path//meta`, which neither a path nor
// meta can be mistaken for; paths are relative to `/` and, like all of it, bytes held as latin1 text. Meta is
// `type mode mtime size uid gid`, with `inode ctime` after it in a scan of this machine, or `-` for what a layer removes.

import { type FileHandle, open } from "node:fs/promises";

export interface Entry {
  path: string;
  meta: string;
}

/** Entries in order, one at a time. */
export interface Entries {
  /** Null at the end. */
  readonly current: Entry | null;
  /** Null where the next one is at hand; such a look costs nothing. */
  next(): Promise<void> | null;
  close(): Promise<void>;
}

export const REMOVED = "-";

export const record = (path: string, meta: string): string => `${path}//${meta}\0`;

/** What `find` prints for a scan. */
export const SCAN_FORMAT = "%p//%y %m %T@ %s %U %G %i %C@\\0";

/** The part of meta that means the same in another machine. */
export const portable = (meta: string): string => meta.split(" ").slice(0, 6).join(" ");

export const isDirectory = (meta: string): boolean => meta.startsWith("d");

/** Whether a caller would call it changed: a directory changes by its mode, not by what is in it. */
export function differs(left: string, right: string): boolean {
  const [type, mode, ...rest] = left.split(" ");
  const [otherType, otherMode, ...others] = right.split(" ");
  if (type !== otherType || mode !== otherMode) return true;
  return type === "d" ? false : [0, 1, 2, 3].some((field) => rest[field] !== others[field]);
}

/** Bytes as Node's functions take a path. */
export const bytesOf = (path: string): Buffer => Buffer.from(path, "latin1");

const PIECE_BYTES = 256 * 1024;

export class ManifestReader implements Entries {
  readonly #file: FileHandle;
  readonly #piece = Buffer.allocUnsafe(PIECE_BYTES);
  #records: string[] = [];
  #index = 0;
  /** The start of a record whose end has not been read. */
  #rest = "";
  current: Entry | null = null;

  constructor(file: FileHandle) {
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
      const { bytesRead } = await this.#file.read(this.#piece, 0, PIECE_BYTES);
      if (bytesRead === 0) {
        this.current = null;
        return;
      }
      const parts = (this.#rest + this.#piece.toString("latin1", 0, bytesRead)).split("\0");
      this.#rest = parts.pop() ?? "";
      this.#records = parts;
    }
    void this.next();
  }
}

function parse(text: string): Entry {
  const end = text.lastIndexOf("//");
  return { path: text.slice(0, end), meta: text.slice(end + 2) };
}

/** Negative where the left one comes first; null comes last. */
export function order(left: Entry | null, right: Entry | null): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  if (left.path === right.path) return 0;
  return `${left.path}//` < `${right.path}//` ? -1 : 1;
}
