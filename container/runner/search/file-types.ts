// Suggests file types that ripgrep knows, for a request with one that it does not.

import { type RipgrepOptions, startRipgrep } from "./ripgrep.ts";

export async function nearestTypes(type: string, options: RipgrepOptions): Promise<string> {
  const asked = type.toLowerCase().replace(/^\*?\./, "");
  const wanted = LANGUAGES.get(asked) ?? asked;
  const near = (await knownTypes(options))
    .filter(
      ({ name, globs }) =>
        globs.split(", ").includes(`*.${wanted}`) || name.startsWith(wanted) || wanted.startsWith(name),
    )
    .toSorted((a, b) => Math.abs(a.name.length - wanted.length) - Math.abs(b.name.length - wanted.length))
    .slice(0, 3)
    .map(({ name, globs }) => `"${name}" (${globs.length > 80 ? `${globs.slice(0, 80)}…` : globs})`);
  const meant = near.length === 0 ? "" : `Did you mean ${near.join(" or ")}? `;
  return `${meant}Or leave type out and give a glob, such as "*.${/^\w+$/.test(wanted) ? wanted : "ts"}".`;
}

/** Names for which ripgrep uses another. */
const LANGUAGES: ReadonlyMap<string, string> = new Map([
  ["javascript", "js"],
  ["javascriptreact", "js"],
  ["jsx", "js"],
  ["typescript", "ts"],
  ["typescriptreact", "ts"],
  ["golang", "go"],
  ["bash", "sh"],
  ["shell", "sh"],
  ["c++", "cpp"],
  ["c#", "cs"],
]);

async function knownTypes(options: RipgrepOptions): Promise<{ name: string; globs: string }[]> {
  const types: { name: string; globs: string }[] = [];
  for await (const lines of startRipgrep(["--type-list"], options).records("\n")) {
    for (const line of lines) {
      const [, name, globs] = /^([^:]+): (.*)$/.exec(line.toString("utf8")) ?? [];
      if (name !== undefined && globs !== undefined) types.push({ name, globs });
    }
  }
  return types;
}
