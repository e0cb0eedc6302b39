// Merges the unpacked tree of a layer into the tree of the layers before it. Descends only into real directories, so that a link
// in either tree is never followed.

import { lstatSync, readdirSync, renameSync, type Stats } from "node:fs";
import { rm } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { loadDirectories, saveDirectories } from "./copy-directories.ts";
import { ManifestReader, pathBytes, REMOVED } from "./entry.ts";

/** Moves everything in `layer` into `tree`, after removing what the layer's manifest lists as removed. */
export async function mergeLayer(layer: string, manifestFile: string, tree: string): Promise<void> {
  await removeListed(manifestFile, tree);
  // Moving the contents of a directory changes the times of both directories, so those of the layer are saved first.
  const metadata = `${layer}.tar`;
  const shared = sharedDirectories(layer, tree, "");
  await saveDirectories(layer, metadata, shared);
  await merge(layer, tree, ["", ...shared]);
  if (shared.length > 0) await loadDirectories(metadata, tree);
  await rm(layer, { recursive: true, force: true });
}

async function removeListed(manifestFile: string, tree: string): Promise<void> {
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

/** Whether every parent of `path` is a real directory inside the tree. */
function isBelowDirectories(tree: string, path: string): boolean {
  const names = path.split("/");
  if (names.some((name) => name === "" || name === "." || name === "..")) return false;
  return names
    .slice(0, -1)
    .every((_, index) => lstatOrNull(join(tree, names.slice(0, index + 1).join("/")))?.isDirectory() === true);
}

/** After so many moves, other work gets its turn on the event loop. */
const MOVES_AT_ONCE = 200;

/** The relative paths of the directories that are in both, parents first. */
function sharedDirectories(layer: string, tree: string, below: string): string[] {
  const found: string[] = [];
  for (const name of readdirSync(join(layer, below), { encoding: "latin1" })) {
    const path = below === "" ? name : `${below}/${name}`;
    if (!areDirectories(join(layer, path), join(tree, path))) continue;
    found.push(path, ...sharedDirectories(layer, tree, path));
  }
  return found;
}

const areDirectories = (...paths: Buffer[]): boolean =>
  paths.every((path) => lstatOrNull(path)?.isDirectory() === true);

/** A directory that the tree does not have is moved as a whole. */
async function merge(layer: string, tree: string, shared: readonly string[]): Promise<void> {
  let moves = 0;
  for (const below of shared) {
    for (const name of readdirSync(join(layer, below), { encoding: "latin1" })) {
      const path = below === "" ? name : `${below}/${name}`;
      const [from, to] = [join(layer, path), join(tree, path)];
      if (areDirectories(from, to)) continue;
      if (lstatOrNull(to)?.isDirectory() !== lstatOrNull(from)?.isDirectory())
        await rm(to, { recursive: true, force: true });
      renameSync(from, to);
      if (++moves % MOVES_AT_ONCE === 0) await setImmediate();
    }
  }
}

const join = (directory: string | Buffer, path: string): Buffer =>
  Buffer.concat([
    typeof directory === "string" ? Buffer.from(directory) : directory,
    Buffer.from("/"),
    pathBytes(path),
  ]);

const lstatOrNull = (path: Buffer): Stats | undefined => lstatSync(path, { throwIfNoEntry: false });
