// Prints the output of other programs: the engine, the Worker, Docker and whatever they pass on of a machine's. Nothing in it controls
// the terminal, and no line looks like one of this program's.

import { stripVTControlCharacters } from "node:util";

/** Returns what prints one line of the program with this name. */
export const printLinesOf =
  (program: string) =>
  (line: string): void =>
    console.error(`${program} | ${printable(line)}`);

const LINE_MAX_CHARS = 4_000;

/** Control characters except tabs, and those that change the direction of text, are invisible or separate lines, are left out. */
export const printable = (line: string): string =>
  stripVTControlCharacters(line.slice(0, LINE_MAX_CHARS)).replace(/[^\P{Cc}\t]|[\p{Cf}\p{Zl}\p{Zp}]/gu, "");
