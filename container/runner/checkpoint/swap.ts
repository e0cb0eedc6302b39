// Replaces the contents of the kept directories with a tree. The directories themselves stay, so that processes working in them
// stay in them. When a step fails, the steps before it are undone.

import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { errorCode } from "../file/error-code.ts";
import { scripts } from "../scripts.ts";
import { loadDirectories, saveDirectories } from "./copy-directories.ts";
import { pathBytes } from "./entry.ts";
import { isWithin, type KeptDirectories } from "./kept-directories.ts";
import { startScript } from "./run-script.ts";

/** The old contents are moved to the new directory `replaced`. A kept directory that is not in the tree is not touched. */
export async function swapDirectories(tree: string, replaced: string, kept: KeptDirectories): Promise<Result<null>> {
  const present = kept.directories.filter((path) =>
    lstatSync(`${tree}/${path}`, { throwIfNoEntry: false })?.isDirectory(),
  );
  const metadata = `${replaced}.tar`;
  await saveDirectories(tree, metadata, present);
  const moves: Move[] = [];
  try {
    for (const path of present) {
      mkdirSync(`/${path}`, { recursive: true });
      mkdirSync(`${replaced}/${path}`, { recursive: true, mode: 0o700 });
      await moveContents(`/${path}`, `${replaced}/${path}`, kept.excluded, moves);
      await moveContents(`${tree}/${path}`, `/${path}`, [], moves);
    }
  } catch (error) {
    for (const { from, to } of moves.reverse()) renameSync(to, from);
    return fail({ reason: "checkpoint_failed", message: `the files cannot be put in place (${String(error)})` });
  }
  if (existsSync(metadata)) await loadDirectories(metadata, "/");
  return succeed(null);
}

interface Move {
  from: Buffer;
  to: Buffer;
}

/** Adds each finished move to `moves`. */
async function moveContents(from: string, to: string, excluded: readonly string[], moves: Move[]): Promise<void> {
  for (const name of readdirSync(from, { encoding: "latin1" })) {
    const source = pathBytes(`${from}/${name}`);
    if (isWithin(source.toString("latin1", 1), excluded)) continue;
    const target = pathBytes(`${to}/${name}`);
    await move(source, target);
    moves.push({ from: source, to: target });
  }
}

async function move(from: Buffer, to: Buffer): Promise<void> {
  try {
    renameSync(from, to);
  } catch (error) {
    if (errorCode(error) !== "EXDEV") throw error;
    // The kept directory is on another filesystem.
    const { stdin, ended } = startScript(scripts.moveEntry, { args: [], cwd: "/" });
    stdin.end(Buffer.concat([from, NUL, to, NUL]));
    if ((await ended).code !== 0) throw error;
  }
}

const NUL = Buffer.from([0]);
