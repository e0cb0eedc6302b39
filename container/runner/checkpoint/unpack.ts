// How an archive is unpacked, and why it cannot write outside the directory it is unpacked in.

import { readFileSync } from "node:fs";

/** Exit codes: 0, 2 where tar could not make all of it, 3 where the compressed bytes are broken, more where it was ended. */
export const UNPACK = `decompress | tar --extract "$@"; s=("\${PIPESTATUS[@]}"); [ "\${s[1]}" -le 2 ] || exit "\${s[1]}"; [ "\${s[0]}" = 0 ] || exit 3; exit "\${s[1]}"`;

/** tar itself refuses absolute names, `..` and ways through links it has just made; a fresh directory has no others. */
export const unpackOptions = (): string[] => [
  "--preserve-permissions",
  "--numeric-owner",
  ownersCanBeSet() ? "--same-owner" : "--no-same-owner",
  "--xattrs",
  "--xattrs-include=user.*",
  "--xattrs-include=security.capability",
  "--delay-directory-restore",
];

/** Where only root is mapped, a file cannot be given to anybody else. */
const ownersCanBeSet = (): boolean =>
  process.getuid?.() === 0 && readFileSync("/proc/self/uid_map", "utf8").trim().split(/\s+/).at(-1) !== "1";
