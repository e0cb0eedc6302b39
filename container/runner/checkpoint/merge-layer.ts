// Lays the unpacked tree of a later layer over the tree of those before it. Walks down through real directories only, so that a
// link in either tree leads nowhere.

import { lstatSync, readdirSync, renameSync, type Stats } from "node:fs";
import { rm } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { loadDirectories, saveDirectories } from "./copy-directories.ts";
import { bytesOf, ManifestReader, REMOVED } from "./entry.ts";

/** Empties `layer` into `tree`, after removing what the layer's manifest says is gone. */
export async function mergeLayer(layer: string, manifestFile: string, tree: string): Promise<void> {
  await removeGone(manifestFile, tree);
  // Moving what is in a directory changes the times of both, so those of the layer are kept aside.
  const metadata = `${layer}.tar`;
  const shared = sharedDirectories(layer, tree, "");
  await saveDirectories(layer, metadata, shared);
  await merge(layer, tree, ["", ...shared]);
  if (shared.length > 0) await loadDirectories(metadata, tree);
  await rm(layer, { recursive: true, force: true });
}

async function removeGone(manifestFile: string, tree: string): Promise<void> {
  const manifest = await ManifestReader.open(manifestFile);
  try {
    while (manifest.current !== null) {
      const { path, meta } = manifest.current;
      if (meta === REMOVED && isBelowDirectories(tree, path)) {
        await rm(join(tree, path), { recursive: true, force: true });
      }
      const read = manifest.next();
      if (read !== null) await read;
    }
  } finally {
    await manifest.close();
  }
}

/** Whether every step down to `path` is a directory of the tree's own. */
function isBelowDirectories(tree: string, path: string): boolean {
  const names = path.split("/");
  if (names.some((name) => name === "" || name === "." || name === "..")) return false;
  return names
    .slice(0, -1)
    .every((_, index) => lookAt(join(tree, names.slice(0, index + 1).join("/")))?.isDirectory() === true);
}

/** Bounds how long other work waits. */
const MOVES_AT_ONCE = 200;

/** Relative paths of the directories that both have, parents first. */
function sharedDirectories(layer: string, tree: string, below: string): string[] {
  const found: string[] = [];
  for (const name of readdirSync(join(layer, below), { encoding: "latin1" })) {
    const path = below === "" ? name : `${below}/${name}`;
    if (!areDirectories(join(layer, path), join(tree, path))) continue;
    found.push(path, ...sharedDirectories(layer, tree, path));
  }
  return found;
}

const areDirectories = (...paths: Buffer[]): boolean => paths.every((path) => lookAt(path)?.isDirectory() === true);

/** Whole directories move as one where the tree has nothing at their place. */
async function merge(layer: string, tree: string, shared: readonly string[]): Promise<void> {
  let moves = 0;
  for (const below of shared) {
    for (const name of readdirSync(join(layer, below), { encoding: "latin1" })) {
      const path = below === "" ? name : `${below}/${name}`;
      const [from, to] = [join(layer, path), join(tree, path)];
      if (areDirectories(from, to)) continue;
      if (lookAt(to)?.isDirectory() !== lookAt(from)?.isDirectory()) await rm(to, { recursive: true, force: true });
      renameSync(from, to);
      if (++moves % MOVES_AT_ONCE === 0) await setImmediate();
    }
  }
}

const join = (directory: string | Buffer, path: string): Buffer =>
  Buffer.concat([typeof directory === "string" ? Buffer.from(directory) : directory, Buffer.from("/"), bytesOf(path)]);

const lookAt = (path: Buffer): Stats | undefined => lstatSync(path, { throwIfNoEntry: false });
