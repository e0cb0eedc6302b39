// Decides which of the paths that ripgrep finds count, and lets ripgrep itself skip most others. ripgrep's own `--glob` is used
// only to exclude: an inclusion would override ignore files and the rule for hidden files.

import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { compileGlob, type Glob } from "./glob.ts";

export interface PathFilter {
  /** Takes a path as ripgrep prints it. */
  accepts(path: string): boolean;
  /** Arguments that let ripgrep skip what cannot be accepted. */
  readonly arguments: readonly string[];
  /** A directory, relative to the root or the workspace, that contains everything accepted; "" when there is none. */
  readonly directory: string;
  /** Whether any path can be refused. */
  readonly restricts: boolean;
}

export interface FilterRequest {
  /** A path must pass every list. In a list, one matching inclusion is enough. */
  globLists: readonly (readonly string[])[];
  ignoreCase: boolean;
  type: string | null;
  workspace: string;
  /** An absolute path. */
  root: string;
}

interface GlobList {
  include: Glob[];
  exclude: Glob[];
}

export function makePathFilter(request: FilterRequest): Result<PathFilter> {
  const lists: GlobList[] = [];
  for (const globs of request.globLists) {
    const list: GlobList = { include: [], exclude: [] };
    for (const text of globs.filter((glob) => glob !== "")) {
      const negated = text.startsWith("!");
      const glob = compileGlob(negated ? text.slice(1) : text, request);
      if (typeof glob === "string") return fail({ reason: "invalid_request", message: `Cannot read the ${glob}.` });
      list[negated ? "exclude" : "include"].push(glob);
    }
    lists.push(list);
  }
  const restricting = lists.filter(({ include, exclude }) => include.length + exclude.length > 0);
  const only = restricting.length === 1 && restricting[0]?.include.length === 1 ? restricting[0].include[0] : undefined;
  return succeed({
    accepts: (path) => restricting.length === 0 || accepts(restricting, formsOf(path, request)),
    arguments: [...typeArguments(request.type, restricting.at(-1)?.include ?? []), "--glob=!.git"],
    directory: only?.directory ?? "",
    restricts: restricting.length > 0 || request.type !== null,
  });
}

/** The forms of a path that a glob may refer to: relative to the root of the search or to the workspace, and absolute. */
function formsOf(path: string, { workspace, root }: FilterRequest): string[] {
  const absolute = path.startsWith("/") ? path : `${workspace}/${path}`;
  const below = root === workspace || !absolute.startsWith(`${root}/`) ? [] : [absolute.slice(root.length + 1)];
  return path.startsWith("/") ? [...below, absolute.slice(1)] : [path, ...below, absolute.slice(1)];
}

const accepts = (lists: readonly GlobList[], paths: readonly string[]): boolean =>
  lists.every(
    ({ include, exclude }) =>
      (include.length === 0 || paths.some((path) => include.some((glob) => glob.matches(path)))) &&
      (exclude.length === 0 ||
        !paths.some((path) => withParents(path).some((part) => exclude.some((glob) => glob.matches(part))))),
  );

/** Excluding a directory excludes everything in it. */
function withParents(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** Defines a file type from the last parts of the globs. Types add up, so it is not combined with the caller's own type. */
function typeArguments(type: string | null, include: readonly Glob[]): string[] {
  if (type !== null) return [`--type=${type}`];
  const lastParts = include.map((glob) => glob.lastPart);
  if (lastParts.length === 0 || lastParts.some((part) => part === null)) return [];
  return [...lastParts.map((part) => `--type-add=asked:${part}`), "--type=asked"];
}
