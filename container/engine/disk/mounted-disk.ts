// One disk: an image of its own, mounted on a directory. What is in it can neither outgrow the image nor reach beyond it.

import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { promisify } from "node:util";
import { isInMachinePath, MACHINE_PATH } from "../machine/machine-path.ts";
import { perlScript, shellScript } from "../script.ts";

export interface MountedDisk {
  readonly directory: string;
  readonly image: string;
  /** Removes the disk with everything on it, at once however much that is. Never rejects. */
  remove(): Promise<void>;
}

/** `image` and `directory` are created. Rejects, with everything removed again, when it cannot be mounted. */
export async function mountDisk({
  emptyImage,
  image,
  directory,
}: Omit<MountedDisk, "remove"> & { emptyImage: string }): Promise<MountedDisk> {
  const remove = () => run([...DETACH, directory, image, ...DROP_WRITES]).catch(() => undefined);
  await mkdir(directory, { mode: 0o700 });
  try {
    await run([...ATTACH, emptyImage, image, directory]);
  } catch (error) {
    await remove();
    throw error;
  }
  return { directory, image, remove };
}

async function run([program = "", ...args]: readonly string[]): Promise<void> {
  await promisify(execFile)(program, args, { cwd: "/", env: { PATH: MACHINE_PATH } });
}

const ATTACH = shellScript(new URL("attach-disk.sh", import.meta.url));
const DETACH = shellScript(new URL("detach-disk.sh", import.meta.url));
/** Without perl, what the machine wrote last is written to its image before that is removed. */
const DROP_WRITES = isInMachinePath("perl") ? perlScript(new URL("drop-writes.pl", import.meta.url)) : ["true"];
