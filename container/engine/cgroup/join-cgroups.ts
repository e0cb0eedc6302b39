// The start of a command that joins control groups before it becomes the rest of the command.

import { shellScript } from "../script.ts";

export const joinCgroups = (directories: readonly string[]): string[] => [
  ...JOIN_CGROUPS,
  String(directories.length),
  ...directories,
];

const JOIN_CGROUPS = shellScript(new URL("join-cgroups.sh", import.meta.url));
