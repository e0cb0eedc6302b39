// Copies the modes, owners, attributes and times of directories to directories of the same names elsewhere. tar does it,
// because Node cannot set times to the nanosecond.

import { scripts } from "../scripts.ts";
import { runScript, startScript } from "./run-script.ts";
import { unpackOptions } from "./unpack.ts";

/** Writes the metadata of directories to `file`. `paths` are relative to `from`. */
export async function saveDirectories(from: string, file: string, paths: readonly string[]): Promise<void> {
  const { stdin, ended } = startScript(scripts.saveDirectories, { args: [file], cwd: from });
  stdin.end(Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1"));
  const { code, stderr } = await ended;
  if (code !== 0) throw new Error(`The metadata of directories was not saved: ${stderr}`);
}

/** Applies the metadata in `file` to the directories of the same names below `to`. */
export async function loadDirectories(file: string, to: string): Promise<void> {
  const { code, stderr } = await runScript(scripts.loadDirectories, { args: [file, ...unpackOptions()], cwd: to });
  if (code !== 0) throw new Error(`The metadata of directories was not applied: ${stderr}`);
}
