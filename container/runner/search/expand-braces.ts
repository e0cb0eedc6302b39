// Expands the alternatives in a glob, `{a,b}`, nested ones too.

const ALTERNATIVES_MAX = 256;

/** Returns the expanded globs, or a clause that says what is wrong with the glob. */
export function expandBraces(glob: string): string[] | string {
  const open = findUnescaped(glob, "{", 0);
  if (open === -1) return findUnescaped(glob, "}", 0) === -1 ? [glob] : 'a "}" without its "{"';
  const choices: string[] = [];
  let depth = 0;
  let from = open + 1;
  for (let at = open; at < glob.length; at += glob[at] === "\\" ? 2 : 1) {
    const character = glob[at];
    if (character === "{") depth += 1;
    if (character === "," && depth === 1) {
      choices.push(glob.slice(from, at));
      from = at + 1;
    }
    if (character === "}" && --depth === 0) {
      choices.push(glob.slice(from, at));
      return expandEach(choices.map((choice) => glob.slice(0, open) + choice + glob.slice(at + 1)));
    }
  }
  return 'a "{" without its "}"';
}

function expandEach(globs: string[]): string[] | string {
  const all: string[] = [];
  for (const glob of globs) {
    const expanded = expandBraces(glob);
    if (typeof expanded === "string") return expanded;
    all.push(...expanded);
    if (all.length > ALTERNATIVES_MAX) return `more than ${ALTERNATIVES_MAX} alternatives`;
  }
  return all;
}

/** Skips character classes as well: a brace in `[{]` is a plain character. */
function findUnescaped(glob: string, wanted: string, from: number): number {
  for (let at = from; at < glob.length; at++) {
    const character = glob[at];
    if (character === "\\") at += 1;
    else if (character === wanted) return at;
    else if (character === "[") at = Math.max(at, glob.indexOf("]", at + 2));
  }
  return -1;
}
