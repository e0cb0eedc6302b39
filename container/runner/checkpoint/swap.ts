// Puts a tree in place of the contents of the kept directories. The directories themselves stay, so that whoever is in one stays in
// it; when a step fails, the steps before it are taken back.

import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { loadDirectories, saveDirectories } from "./copy-directories.ts";
import { bytesOf } from "./entry.ts";
import { isWithin, type Kept } from "./kept-directories.ts";
import { startScript } from "./programs.ts";

/** What was there before is moved to the new directory `replaced`. A kept directory that the tree has not got is left alone. */
export async function putInPlace(tree: string, replaced: string, kept: Kept): Promise<Result<null>> {
  const present = kept.directories.filter((path) =>
    lstatSync(`${tree}/${path}`, { throwIfNoEntry: false })?.isDirectory(),
  );
  const metadata = `${replaced}.tar`;
  await saveDirectories(tree, metadata, present);
  const done: Move[] = [];
  try {
    for (const path of present) {
      mkdirSync(`/${path}`, { recursive: true });
      mkdirSync(`${replaced}/${path}`, { recursive: true, mode: 0o700 });
      await moveContents(`/${path}`, `${replaced}/${path}`, kept.left, done);
      await moveContents(`${tree}/${path}`, `/${path}`, [], done);
    }
  } catch (error) {
    for (const { from, to } of done.reverse()) renameSync(to, from);
    return fail({ reason: "checkpoint_failed", message: `the files cannot be put in place (${String(error)})` });
  }
  if (existsSync(metadata)) await loadDirectories(metadata, "/");
  return succeed(null);
}

interface Move {
  from: Buffer;
  to: Buffer;
}

async function moveContents(from: string, to: string, left: readonly string[], done: Move[]): Promise<void> {
  for (const name of readdirSync(from, { encoding: "latin1" })) {
    const source = bytesOf(`${from}/${name}`);
    if (isWithin(source.toString("latin1", 1), left)) continue;
    const target = bytesOf(`${to}/${name}`);
    await move(source, target);
    done.push({ from: source, to: target });
  }
}

async function move(from: Buffer, to: Buffer): Promise<void> {
  try {
    renameSync(from, to);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code !== "EXDEV") throw error;
    // A kept directory on another filesystem.
    const { stdin, ended } = startScript("xargs -0 mv -T --", { args: [], cwd: "/" });
    stdin.end(Buffer.concat([from, NUL, to, NUL]));
    if ((await ended).code !== 0) throw error;
  }
}

const NUL = Buffer.from([0]);
