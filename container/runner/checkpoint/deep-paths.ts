// tar cannot unpack a path that is longer than Linux accepts. What is that deep is therefore stored by subtrees: a subtree
// begins where a path passes a length, is stored whole when anything in it has changed, and is restored as one thing.

/** Leaves room, within the 4096 bytes that Linux accepts, for a last name of 255 bytes and the directory of a restore. */
const DEEP_PATH_BYTES = 3_000;

/** The top of the subtree that `path` is in; null for a path that is not deep. Both are bytes held as latin1 text. */
export function deepTop(path: string): string | null {
  if (path.length <= DEEP_PATH_BYTES) return null;
  const end = path.indexOf("/", DEEP_PATH_BYTES + 1);
  return end < 0 ? path : path.slice(0, end);
}

/** In the archive of a layer: holds the subtrees, each as archives of paths that are short from where they begin. */
export const DEEP_DIRECTORY = ".sandbox-deep";

/** One record of its index, in JSON: the archive `name` is to be unpacked in the directory that the steps lead to. */
export interface DeepArchive {
  readonly name: string;
  /** Each is relative to the one before, the first to the root; latin1 text. */
  readonly steps: readonly string[];
}

/** Splits a path into steps and a rest, none of which is longer than DEEP_PATH_BYTES. Equal for all paths with that start. */
export function splitPath(path: string): { steps: string[]; rest: string } {
  const steps: string[] = [];
  let rest = path;
  while (rest.length > DEEP_PATH_BYTES) {
    const end = rest.lastIndexOf("/", DEEP_PATH_BYTES);
    steps.push(rest.slice(0, end));
    rest = rest.slice(end + 1);
  }
  return { steps, rest };
}
