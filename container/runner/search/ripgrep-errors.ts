// What ripgrep says on stderr when it had trouble: paths that it could not read, or a request that it cannot carry out.

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

/** One path a line, with the system's words or the place of a fault in an ignore file. */
const aboutPath = /: .*\(os error \d+\)$|: line \d+: |: invalid UTF-8|^File system loop/;

/** Null where the words are not about single paths, but about the request. */
export function unreadablePaths(trouble: string): Unreadable | null {
  const lines = trouble
    .split("\n")
    .filter((line) => line.trim() !== "" && !/No files were searched|^Running with/.test(line));
  if (!lines.every((line) => aboutPath.test(line))) return null;
  const words = lines.map((line) => line.replace(/^rg: (\.\/)?|^\.\//, "").replace(/ \(os error \d+\)$/, ""));
  return { count: words.length, examples: words.slice(0, EXAMPLES).map(withoutRepeat) };
}

const withoutRepeat = (words: string): string => words.replace(/^(.*): IO error for operation on .*?: /, "$1: ");

export async function refusal(request: SearchRequest, trouble: string, options: RipgrepOptions): Promise<Failure> {
  const words = trouble
    .replace(/^rg: /, "")
    .replace(/\n+(Consider enabling|When multiline mode is enabled).*$/s, "")
    .trimEnd();
  return { reason: "invalid_request", message: `${shorten(words)}\n${await advice(request, words, options)}` };
}

/** ripgrep repeats the pattern first, below it marks the place, and says what is wrong last. */
function shorten(words: string): string {
  const lines = words.split("\n").map((line) => (line.length <= LINE_CHARS ? line : `${line.slice(0, LINE_CHARS)}…`));
  const shown = lines.length <= LINES ? lines : [...lines.slice(0, LINES / 2), "…", ...lines.slice(-LINES / 2)];
  return shown.join("\n").toWellFormed();
}

async function advice(request: SearchRequest, words: string, options: RipgrepOptions): Promise<string> {
  if (words.includes("unrecognized file type")) return nearestTypes(request.type ?? "", options);
  if (/look-around|backreference/.test(words))
    return "ripgrep's own engine has no look-around and no backreferences. Search for less, or run grep -P with exec; literal: true takes the pattern for the text itself.";
  if (/the literal '?"?\\n/.test(words)) return "Pass multiline: true to match across lines.";
  return "Correct the pattern, or pass literal: true to search for exactly this text.";
}
