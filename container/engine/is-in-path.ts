// Whether the host has a program, where the shell or a machine's first steps would find it.

import { accessSync, constants } from "node:fs";
import { join } from "node:path";

export function isInPath(program: string): boolean {
  return DIRECTORIES.some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** What a machine's processes start with (see MACHINE_ENVIRONMENT in spawn-machine.ts), whatever PATH the engine has. */
const DIRECTORIES = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
