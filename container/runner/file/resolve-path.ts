// Resolves a path given as text to an absolute one, without looking at the disk.

import { isAbsolute, join, resolve } from "node:path";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";

export interface PathRoots {
  /** The base of relative paths. */
  workspace: string;
  /** The directory that `~` refers to. */
  home: string;
}

export interface ResolvedPath {
  absolute: string;
  /** The text ended with a slash, so that it names a directory. */
  namesDirectory: boolean;
}

/** The longest name and the longest path that Linux accepts, in bytes. */
const NAME_MAX = 255;
const PATH_MAX = 4095;

export function resolvePath(text: string, roots: PathRoots): Result<ResolvedPath> {
  const absolute = absolutePath(text, roots);
  const problem = problemOf(text, absolute);
  if (problem !== null) return fail({ reason: "invalid_request", message: problem });
  return succeed({ absolute, namesDirectory: /\/\.{0,2}$/.test(text) });
}

function absolutePath(text: string, { workspace, home }: PathRoots): string {
  if (text === "~") return resolve(home);
  if (text.startsWith("~/")) return resolve(join(home, text.slice(2)));
  return isAbsolute(text) ? resolve(text) : resolve(workspace, text);
}

function problemOf(text: string, absolute: string): string | null {
  if (text === "") return 'The path is empty. Name a file, or "." for the workspace.';
  if (text.includes("\0")) return `The path ${quote(text)} contains a NUL byte, which no path can contain. Remove it.`;
  if (!text.isWellFormed())
    return `The path ${quote(text)} contains half of a character (a lone surrogate), which no path can contain. Send the whole character.`;
  const name = absolute.split("/").find((part) => Buffer.byteLength(part) > NAME_MAX);
  if (name !== undefined)
    return `A name in the path is ${Buffer.byteLength(name)} bytes long ("${name.slice(0, 40)}…"); Linux accepts at most ${NAME_MAX}. Shorten it.`;
  const length = Buffer.byteLength(absolute);
  return length > PATH_MAX ? `The path is ${length} bytes long; Linux accepts at most ${PATH_MAX}. Shorten it.` : null;
}

const quote = (text: string): string => JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
