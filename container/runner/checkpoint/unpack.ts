// How tar unpacks an archive, and why it cannot write outside the directory in which it unpacks.

import { readFileSync } from "node:fs";

/** tar itself refuses absolute names, `..`, and paths through links that it has just made. A new directory has no other links. */
export const unpackOptions = (): string[] => [
  "--preserve-permissions",
  "--numeric-owner",
  canSetOwners() ? "--same-owner" : "--no-same-owner",
  "--xattrs",
  "--xattrs-include=user.*",
  "--xattrs-include=security.capability",
  "--delay-directory-restore",
];

/** In a user namespace that maps only root, a file cannot be given to another user. */
const canSetOwners = (): boolean =>
  process.getuid?.() === 0 && readFileSync("/proc/self/uid_map", "utf8").trim().split(/\s+/).at(-1) !== "1";
