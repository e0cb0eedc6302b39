// Keeps directories' modes, owners, attributes and times in a file, and gives them to their namesakes elsewhere. tar does it, because
// nothing of Node's sets times to the nanosecond.

import { runScript, startScript } from "./programs.ts";
import { unpackOptions } from "./unpack.ts";

/** `paths` are relative to `from`, and the names of directories. */
export async function saveDirectories(from: string, file: string, paths: readonly string[]): Promise<void> {
  const { stdin, ended } = startScript(SAVE, { args: [file], cwd: from });
  stdin.end(Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1"));
  const { code, stderr } = await ended;
  if (code !== 0) throw new Error(`Directories were not kept aside: ${stderr}`);
}

const SAVE =
  "tar --create --format=posix --numeric-owner --xattrs --xattrs-include=user.* --pax-option=delete=atime,delete=ctime " +
  '--no-recursion --null --verbatim-files-from --files-from=- > "$1"';

export async function loadDirectories(file: string, to: string): Promise<void> {
  const { code, stderr } = await runScript(LOAD, { args: [file, ...unpackOptions()], cwd: to });
  if (code !== 0) throw new Error(`Directories were not set: ${stderr}`);
}

const LOAD = 'file=$1; shift; tar --extract "$@" < "$file"';
