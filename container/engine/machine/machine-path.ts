// Where the programs of a machine are looked for, and whether the host has one there.

import { accessSync, constants } from "node:fs";
import { join } from "node:path";

/** The PATH of a machine's processes, whatever PATH the engine has. */
export const MACHINE_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export function isInMachinePath(program: string): boolean {
  return MACHINE_PATH.split(":").some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
