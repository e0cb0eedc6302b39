// The engine's shell and perl programs as commands. Their text is an argument, because the user that a machine runs as may
// not be able to read the project's directory.

import { readFileSync } from "node:fs";

/** The start of a command; the script's own arguments follow. */
export const shellScript = (file: URL): string[] => ["sh", "-c", readCode(file), "sh"];

/** The same for a perl program. */
export const perlScript = (file: URL): string[] => ["perl", "-e", readCode(file), "--"];

/** The text without its comments: `ps` in a machine shows what process 1 was given. */
const readCode = (file: URL): string => readFileSync(file, "utf8").replace(/^[ \t]*#.*\n/gm, "");
