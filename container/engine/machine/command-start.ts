// What the shell of each command does before the command: it lowers its limit of processes and joins the control groups of
// commands, for itself and for all that it starts, so that the runner keeps what is left. The runner has bash read this file
// as BASH_ENV (or another shell source it), which costs a command a tenth of what one more program would.

import { PROGRAMS_INSIDE } from "../rootfs/machine-tools.ts";

/** Its name among the programs of a machine. */
export const COMMAND_START = "command-start.sh";

/** Lines for bash and for dash, which knows the limit of processes as `-p`. They leave no variable behind. */
export const commandStart = (processes: number, groupFiles: readonly string[]): string =>
  [
    `ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes}`,
    ...groupFiles.map((file) => `{ echo 0 >${file}; } 2>/dev/null`),
    // A command may have a BASH_ENV of its own.
    `[ "$BASH_ENV" != ${PROGRAMS_INSIDE}/${COMMAND_START} ] || unset BASH_ENV`,
    // The last argument is what the command finds in `$_`.
    ": /bin/bash",
    "",
  ].join("\n");
