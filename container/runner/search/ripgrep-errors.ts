// Interprets what ripgrep prints on stderr: paths that it could not read, or why it cannot carry out the request.

import type { Failure } from "../../../src/contract/failure.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { SearchRequest } from "../../../src/contract/search.ts";
import { nearestTypes } from "./file-types.ts";
import type { RipgrepOptions } from "./ripgrep.ts";

export interface Unreadable {
  count: number;
  examples: string[];
}

const EXAMPLES = 3;
const LINES = 20;
const LINE_CHARS = limits.echoMaxChars;

/** A line about one path, with the system's error or the position of a fault in an ignore file. */
const aboutPath = /: .*\(os error \d+\)$|: line \d+: |: invalid UTF-8|^File system loop/;

/** Null when the messages are about the request and not about single paths. */
export function unreadablePaths(stderr: string): Unreadable | null {
  const lines = stderr
    .split("\n")
    .filter((line) => line.trim() !== "" && !/No files were searched|^Running with/.test(line));
  if (!lines.every((line) => aboutPath.test(line))) return null;
  const messages = lines.map((line) => line.replace(/^rg: (\.\/)?|^\.\//, "").replace(/ \(os error \d+\)$/, ""));
  return { count: messages.length, examples: messages.slice(0, EXAMPLES).map(withoutRepeat) };
}

const withoutRepeat = (message: string): string => message.replace(/^(.*): IO error for operation on .*?: /, "$1: ");

export async function requestFailure(
  request: SearchRequest,
  stderr: string,
  options: RipgrepOptions,
): Promise<Failure> {
  const message = stderr
    .replace(/^rg: /, "")
    .replace(/\n+(Consider enabling|When multiline mode is enabled).*$/s, "")
    .trimEnd();
  return { reason: "invalid_request", message: `${shorten(message)}\n${await advice(request, message, options)}` };
}

/** ripgrep repeats the pattern first, then marks the position, and says what is wrong last. */
function shorten(message: string): string {
  const lines = message.split("\n").map((line) => (line.length <= LINE_CHARS ? line : `${line.slice(0, LINE_CHARS)}…`));
  const shown = lines.length <= LINES ? lines : [...lines.slice(0, LINES / 2), "…", ...lines.slice(-LINES / 2)];
  return shown.join("\n").toWellFormed();
}

async function advice(request: SearchRequest, message: string, options: RipgrepOptions): Promise<string> {
  if (message.includes("unrecognized file type")) return nearestTypes(request.type ?? "", options);
  if (/look-around|backreference/.test(message))
    return "ripgrep has no look-around and no backreferences. Use a simpler pattern, or run grep -P with exec; literal: true searches for the pattern as plain text.";
  if (/the literal '?"?\\n/.test(message)) return "Pass multiline: true to match across lines.";
  return "Correct the pattern, or pass literal: true to search for exactly this text.";
}
