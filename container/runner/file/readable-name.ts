// A file name as printable text. Names are bytes, and may contain anything except a slash and NUL.

import { isUtf8 } from "node:buffer";

export interface ReadableName {
  text: string;
  /** Some bytes are not UTF-8, so that no path given as text can name the file. */
  undecodable: boolean;
}

export function readableName(name: Buffer): ReadableName {
  if (isUtf8(name)) return { text: escapeControls(name.toString("utf8")), undecodable: false };
  const text = name.toString("latin1").replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
  return { text: escapeControls(text), undecodable: true };
}

const escapeControls = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
  text.replace(/[\x00-\x1f\x7f]/g, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
