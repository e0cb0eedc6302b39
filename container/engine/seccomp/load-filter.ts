// The start of a command that loads the filter of system calls before it becomes the rest of the command.

import { spawnSync } from "node:child_process";
import { isInMachinePath } from "../machine/machine-path.ts";
import { perlScript } from "../script.ts";
import { CALL_NUMBERS } from "./call-numbers.ts";
import { encodeProgram } from "./filter-program.ts";
import { type FilterOptions, machineFilter } from "./machine-filter.ts";

export interface FilterLoader {
  /** Empty where no filter can be loaded. */
  readonly command: readonly string[];
  /** Why none can be, with what to do; null where one can. */
  readonly obstacle: string | null;
}

/** Tries it. The command needs `no_new_privs` to be set. */
export function openFilterLoader(options: FilterOptions): FilterLoader {
  // Only perl can make the system call without a compiler.
  if (!isInMachinePath("perl")) return { command: [], obstacle: "install perl, then start again" };
  const architecture = process.arch === "arm64" ? "arm64" : "x64";
  const program = encodeProgram(machineFilter(architecture, options)).toString("hex");
  const command = [
    ...perlScript(new URL("load-filter.pl", import.meta.url)),
    String(CALL_NUMBERS[architecture].get("seccomp")),
    program,
  ];
  const { status, stderr } = spawnSync("setpriv", ["--no-new-privs", ...command, "true"], { encoding: "utf8" });
  return status === 0
    ? { command, obstacle: null }
    : { command: [], obstacle: `the kernel must have CONFIG_SECCOMP_FILTER (${stderr.trim()})` };
}
