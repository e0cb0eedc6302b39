// Where paths start from, and a path as text resolved to an absolute one. Nothing on disk is looked at.

import { isAbsolute, join, resolve } from "node:path";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";

export interface FilePlace {
  /** What relative paths are under. */
  workspace: string;
  /** What `~` stands for. */
  home: string;
}

export interface NamedPath {
  absolute: string;
  /** It ended with a slash: a directory was meant. */
  directory: boolean;
}

/** Linux takes no name longer than this and no path longer than that, in bytes. */
const NAME_MAX = 255;
const PATH_MAX = 4095;

export function namePath(text: string, place: FilePlace): Result<NamedPath> {
  const absolute = absolutePath(text, place);
  const problem = problemOf(text, absolute);
  if (problem !== null) return fail({ reason: "invalid_request", message: problem });
  return succeed({ absolute, directory: /\/\.{0,2}$/.test(text) });
}

function absolutePath(text: string, { workspace, home }: FilePlace): string {
  if (text === "~") return resolve(home);
  if (text.startsWith("~/")) return resolve(join(home, text.slice(2)));
  return isAbsolute(text) ? resolve(text) : resolve(workspace, text);
}

function problemOf(text: string, absolute: string): string | null {
  if (text === "") return 'The path is empty. Name a file, or "." for the workspace.';
  if (text.includes("\0")) return `The path ${quote(text)} contains a NUL byte, which no path can. Leave it out.`;
  if (!text.isWellFormed())
    return `The path ${quote(text)} contains half of a character, which no path can. Send it whole.`;
  const name = absolute.split("/").find((part) => Buffer.byteLength(part) > NAME_MAX);
  if (name !== undefined)
    return `A name in the path is ${Buffer.byteLength(name)} bytes long ("${name.slice(0, 40)}…"); Linux takes at most ${NAME_MAX}. Shorten it.`;
  const length = Buffer.byteLength(absolute);
  return length > PATH_MAX ? `The path is ${length} bytes long; Linux takes at most ${PATH_MAX}. Shorten it.` : null;
}

const quote = (text: string): string => JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
