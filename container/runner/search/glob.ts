// Globs over paths with the syntax of ripgrep and gitignore: `*`, `?`, `**`, `[a-z]`, `{a,b}`, `\` to escape. A glob without a
// slash matches the last part of a path at any depth. Matching takes polynomial time, whatever the glob.

import { limits } from "../../../src/contract/limits.ts";
import { expandBraces } from "./expand-braces.ts";

export interface Glob {
  /** `path` has no leading "./" and no trailing slash. */
  matches(path: string): boolean;
  /** A directory that contains everything the glob matches; "" when there is none. */
  readonly directory: string;
  /** A glob in ripgrep's syntax that the last part of every match also matches; null when that can be anything. */
  readonly lastPart: string | null;
}

/** Returns the compiled glob, or a clause that names the glob and says what is wrong with it. */
export function compileGlob(glob: string, options: { ignoreCase: boolean }): Glob | string {
  const body = glob.replace(/^(\.?\/)+(?=.)/, "").replace(/(?<=[^\\/])\/+$/, "");
  const anchored = /^\.?\//.test(glob) || body.includes("/");
  const trimmed = /[^\\]\/+$/.test(glob) ? `${body}/**` : body;
  const alternatives = expandBraces(options.ignoreCase ? trimmed.toLowerCase() : trimmed);
  const shown = glob.length > limits.echoMaxChars ? `${glob.slice(0, limits.echoMaxChars)}…` : glob;
  if (typeof alternatives === "string") return `glob "${shown}": ${alternatives}`;
  const compiled: Part[][] = [];
  for (const alternative of alternatives) {
    const parts = alternative.split("/").map(compilePart);
    const whole = parts.filter((part) => part !== UNCLOSED);
    if (whole.length < parts.length) return `glob "${shown}": a character class without its "]"`;
    compiled.push(anchored ? whole : [ANY_PARTS, ...whole]);
  }
  return {
    matches: (path) => {
      const wanted = options.ignoreCase ? path.toLowerCase() : path;
      const last = characters(wanted.slice(wanted.lastIndexOf("/") + 1));
      return compiled.some((parts) =>
        isLastPart(parts) ? nameMatches(parts[1], last) : partsMatch(parts, wanted.split("/")),
      );
    },
    directory: anchored ? literalDirectory(trimmed) : "",
    lastPart: options.ignoreCase ? null : lastPartOf(trimmed),
  };
}

type Token = "star" | "any" | { text: string } | { negated: boolean; ranges: [string, string][] };
type Part = Token[] | typeof ANY_PARTS;
const ANY_PARTS = "**";
const UNCLOSED = "[";

function literalDirectory(glob: string): string {
  const parts = glob.split("/").slice(0, -1);
  const special = parts.findIndex((part) => /[*?[\]{}\\]/.test(part));
  return (special === -1 ? parts : parts.slice(0, special)).join("/");
}

/**
 * Null when slashes are inside braces or classes. The result may match more: `?` and classes become `*`, because they stand for
 * bytes in ripgrep.
 */
function lastPartOf(glob: string): string | null {
  const last = glob.slice(glob.lastIndexOf("/") + 1);
  const before = glob.slice(0, glob.length - last.length);
  // A colon has a meaning in ripgrep's --type-add.
  if (/\*\*|\\|:/.test(last) || /[{}[\]\\]/.test(before)) return null;
  const wider = last.replace(/\[[!^]?\]?[^\]]*\]|\?/g, "*").replace(/\*+/g, "*");
  return wider === "*" ? null : wider;
}

function compilePart(part: string): Part | typeof UNCLOSED {
  if (part === "**") return ANY_PARTS;
  const tokens: Token[] = [];
  const characters = [...part];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? "";
    if (character === "*") {
      if (tokens.at(-1) !== "star") tokens.push("star");
    } else if (character === "?") tokens.push("any");
    else if (character === "\\") tokens.push({ text: characters[++at] ?? "\\" });
    else if (character === "[") {
      const end = characters.indexOf("]", at + (/[!^]/.test(characters[at + 1] ?? "") ? 3 : 2));
      if (end === -1) return UNCLOSED;
      tokens.push(characterClass(characters.slice(at + 1, end)));
      at = end;
    } else tokens.push({ text: character });
  }
  return tokens;
}

function characterClass(characters: string[]): Token {
  const negated = /^[!^]$/.test(characters[0] ?? "");
  const ranges: [string, string][] = [];
  const members = negated ? characters.slice(1) : characters;
  for (let at = 0; at < members.length; at++) {
    const from = members[at] ?? "";
    const to = members[at + 2];
    if (members[at + 1] === "-" && to !== undefined) {
      ranges.push([from, to]);
      at += 2;
    } else ranges.push([from, from]);
  }
  return { negated, ranges };
}

/** The most common kind of glob, for which only the last name counts. */
const isLastPart = (parts: readonly Part[]): parts is [typeof ANY_PARTS, Token[]] =>
  parts.length === 2 && parts[0] === ANY_PARTS && parts[1] !== ANY_PARTS;

/** `**` matches any number of names, but at least one as the last part. */
function partsMatch(parts: readonly Part[], names: readonly string[]): boolean {
  let reachable = new Set([0]);
  for (const [index, part] of parts.entries()) {
    const next = new Set<number>();
    for (const at of reachable) {
      if (part === ANY_PARTS) {
        const least = index === parts.length - 1 ? at + 1 : at;
        for (let to = least; to <= names.length; to++) next.add(to);
      } else if (at < names.length && nameMatches(part, characters(names[at] ?? ""))) next.add(at + 1);
    }
    if (next.size === 0) return false;
    reachable = next;
  }
  return reachable.has(names.length);
}

/** An ASCII string is its own list of characters and need not be split. */
type Characters = string | readonly string[];
const characters = (text: string): Characters => (/[^\0-\x7f]/.test(text) ? [...text] : text);

/** Backtracks only to the last star: a later star makes earlier choices irrelevant. */
function nameMatches(tokens: readonly Token[], name: Characters): boolean {
  let token = 0;
  let at = 0;
  let star: { token: number; at: number } | null = null;
  while (at < name.length) {
    const wanted = tokens[token];
    if (wanted === "star") {
      star = { token: token++, at };
    } else if (wanted !== undefined && characterMatches(wanted, name[at] ?? "")) {
      token += 1;
      at += 1;
    } else if (star !== null) {
      star.at += 1;
      token = star.token + 1;
      at = star.at;
    } else return false;
  }
  return tokens.slice(token).every((rest) => rest === "star");
}

function characterMatches(token: Exclude<Token, "star">, character: string): boolean {
  if (token === "any") return true;
  if ("text" in token) return token.text === character;
  return token.ranges.some(([from, to]) => from <= character && character <= to) !== token.negated;
}
