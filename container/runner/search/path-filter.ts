// Which of the paths that ripgrep finds count, and how ripgrep can leave most others out by itself. Its own `--glob` is used
// only to exclude: as an inclusion it would bring in what ignore files and dot names keep out.

import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { compileGlob, type Glob } from "./glob.ts";

export interface PathFilter {
  /** Of a path as ripgrep says it. */
  accepts(path: string): boolean;
  /** Arguments that let ripgrep leave out what cannot be accepted. */
  readonly arguments: readonly string[];
  /** Directories below which everything accepted is, relative to the root or the workspace; "" for no such. */
  readonly directory: string;
  /** It can refuse something. */
  readonly restricts: boolean;
}

export interface FilterRequest {
  /** All of these lists must agree; in one list, one inclusion is enough. */
  globLists: readonly (readonly string[])[];
  ignoreCase: boolean;
  type: string | null;
  workspace: string;
  /** Absolute. */
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
    accepts: (path) => restricting.length === 0 || accepts(restricting, readings(path, request)),
    arguments: [...typeArguments(request.type, restricting.at(-1)?.include ?? []), "--glob=!.git"],
    directory: only?.directory ?? "",
    restricts: restricting.length > 0 || request.type !== null,
  });
}

/** A glob may be meant from the root of the search, from the workspace, or as an absolute path. */
function readings(path: string, { workspace, root }: FilterRequest): string[] {
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

/** An excluded directory excludes what is in it. */
function withParents(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** A made-up type of the globs' last parts; with a type of the caller's it would widen, so then that alone is used. */
function typeArguments(type: string | null, include: readonly Glob[]): string[] {
  if (type !== null) return [`--type=${type}`];
  const lastParts = include.map((glob) => glob.lastPart);
  if (lastParts.length === 0 || lastParts.some((part) => part === null)) return [];
  return [...lastParts.map((part) => `--type-add=asked:${part}`), "--type=asked"];
}
