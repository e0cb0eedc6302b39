// Merges the unpacked tree of a layer into the tree of the layers before it. Descends only into real directories, so that a link
// in either tree is never followed.

import { lstatSync, renameSync, type Stats } from "node:fs";
import { rm } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { readNames } from "../file/directory-names.ts";
import { removeTree } from "../file/remove-tree.ts";
import { scripts } from "../scripts.ts";
import { loadDirectories, saveDirectories } from "./copy-directories.ts";
import { deepTop } from "./deep-paths.ts";
import { ManifestReader, pathBytes, REMOVED } from "./entry.ts";
import { startScript } from "./run-script.ts";

/** Moves everything in `layer` into `tree`, after removing what the layer's manifest lists as removed. */
export async function mergeLayer(layer: string, manifestFile: string, tree: string): Promise<void> {
  await removeListed(manifestFile, tree);
  // Moving the contents of a directory changes the times of both directories, so those of the layer are saved first.
  const metadata = `${layer}.tar`;
  const shared = await sharedDirectories(layer, tree, "");
  await saveDirectories(layer, metadata, shared);
  await merge(layer, tree, ["", ...shared]);
  if (shared.length > 0) await loadDirectories(metadata, tree);
  await removeTree(layer);
}

/** By a program, which takes a name that is not UTF-8 on its stdin, and for which no path inside is too long. */
async function removePath(path: Buffer): Promise<void> {
  if (lstatOrNull(path)?.isDirectory() !== true) return await rm(path, { force: true });
  const { stdin, ended } = startScript(scripts.removePaths, { args: [], cwd: "/" });
  stdin.end(Buffer.concat([path, Buffer.from([0])]));
  const { code, stderr } = await ended;
  if (code !== 0) throw new Error(`A directory cannot be removed: ${stderr.trim()}`);
}

async function removeListed(manifestFile: string, tree: string): Promise<void> {
  const manifest = await ManifestReader.open(manifestFile);
  try {
    while (manifest.current !== null) {
      const { path, meta } = manifest.current;
      // A deep subtree is replaced as a whole, or removed by its top.
      const isInside = path !== (deepTop(path) ?? path);
      if (meta === REMOVED && !isInside && isBelowDirectories(tree, path)) await removePath(join(tree, path));
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
async function sharedDirectories(layer: string, tree: string, below: string): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of readNames(join(layer, below))) {
    for (const { name, isDirectory } of batch) {
      const path = below === "" ? name.toString("latin1") : `${below}/${name.toString("latin1")}`;
      if (!isDirectory || deepTop(path) !== null || !areDirectories(join(layer, path), join(tree, path))) continue;
      found.push(path);
    }
  }
  for (const path of [...found]) found.push(...(await sharedDirectories(layer, tree, path)));
  return found;
}

const areDirectories = (...paths: Buffer[]): boolean =>
  paths.every((path) => lstatOrNull(path)?.isDirectory() === true);

/** A directory that the tree does not have is moved as a whole. */
async function merge(layer: string, tree: string, shared: readonly string[]): Promise<void> {
  let moves = 0;
  for (const below of shared) {
    for (const name of await namesIn(join(layer, below))) {
      const path = below === "" ? name : `${below}/${name}`;
      const [from, to] = [join(layer, path), join(tree, path)];
      const isDeep = deepTop(path) !== null;
      if (!isDeep && areDirectories(from, to)) continue;
      if (isDeep || lstatOrNull(to)?.isDirectory() !== lstatOrNull(from)?.isDirectory()) await removePath(to);
      renameSync(from, to);
      if (++moves % MOVES_AT_ONCE === 0) await setImmediate();
    }
  }
}

async function namesIn(path: Buffer): Promise<string[]> {
  const names: string[] = [];
  for await (const batch of readNames(path)) for (const { name } of batch) names.push(name.toString("latin1"));
  return names;
}

const join = (directory: string | Buffer, path: string): Buffer =>
  Buffer.concat([
    typeof directory === "string" ? Buffer.from(directory) : directory,
    Buffer.from("/"),
    pathBytes(path),
  ]);

const lstatOrNull = (path: Buffer): Stats | undefined => lstatSync(path, { throwIfNoEntry: false });
