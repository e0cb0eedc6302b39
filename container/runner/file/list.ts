// file-list: lists a directory as a tree, breadth first, up to a limit of entries.

import { lstat, readlink, stat } from "node:fs/promises";
import { join } from "node:path";
import type { FileListEntry, FileListRequest, FileListResult } from "../../../src/contract/file-list.ts";
import { limits } from "../../../src/contract/limits.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { readNames } from "./directory-names.ts";
import { errorCode } from "./error-code.ts";
import { FirstNames } from "./first-names.ts";
import { type IgnoreRules, isIgnored, rulesFor, withRulesOf } from "./ignore-rules.ts";
import { kindOf, wrongKind } from "./kind.ts";
import { readableName } from "./readable-name.ts";
import { pathReport, realTarget } from "./real-path.ts";
import { type PathRoots, resolvePath } from "./resolve-path.ts";
import { asFailure } from "./system-failure.ts";
import { TEMPORARY_NAME } from "./temporary-name.ts";

export async function listFiles(request: FileListRequest, roots: PathRoots): Promise<Result<FileListResult>> {
  const resolved = resolvePath(request.path, roots);
  if (!resolved.ok) return resolved;
  const path = resolved.value.absolute;
  return asFailure(path, async () => {
    const real = await realTarget(path);
    const entry = await stat(real);
    if (!entry.isDirectory()) return fail(wrongKind(path, "a directory", kindOf(entry)));
    const rules = request.no_ignore ? [] : await rulesFor(real);
    return succeed({ ...pathReport(path, real), ...(await new TreeList(request).collect(real, rules)) });
  });
}

/** An entry in the tree, with those of its children that are listed. */
interface Node {
  path: Buffer;
  rules: IgnoreRules;
  entry: FileListEntry;
  children: Node[];
}

type Inside = NonNullable<FileListEntry["inside"]>;

const IGNORED_NAMES_MAX = 8;
const UNREADABLE_MAX = 20;
const SLASH = Buffer.from("/");

class TreeList {
  readonly #request: FileListRequest;
  readonly #ignoredNames: string[] = [];
  readonly #unreadable: string[] = [];
  #undecodable = false;
  /** How many more entries may be listed. */
  #remaining: number;

  constructor(request: FileListRequest) {
    this.#request = request;
    this.#remaining = request.limit;
  }

  /** Rejects when the top directory cannot be read. */
  async collect(real: string, rules: IgnoreRules): Promise<Omit<FileListResult, "path" | "real_path">> {
    const top: Node = { path: Buffer.from(real), rules, entry: entryOf("", 0), children: [] };
    const inside = await this.#open(top, { skip: this.#request.offset, most: this.#remaining });
    let level = top.children;
    while (level.length > 0) {
      for (const node of level) await this.#openInner(node);
      level = level.flatMap(({ children }) => children);
    }
    return {
      entries: top.children.flatMap(flatten),
      inside,
      ignored_names: this.#ignoredNames,
      undecodable_names: this.#undecodable,
      unreadable: this.#unreadable,
    };
  }

  async #openInner(node: Node): Promise<void> {
    const { entry } = node;
    const isHiddenGit = !this.#request.no_ignore && entry.name === ".git";
    if (entry.kind !== "directory" || entry.depth >= this.#request.depth || isHiddenGit) return;
    try {
      if (!this.#request.no_ignore) node.rules = await withRulesOf(node.rules, node.path.toString("utf8"));
      const most = Math.min(this.#remaining, this.#request.inner_limit ?? limits.fileListInnerEntries);
      entry.inside = await this.#open(node, { skip: 0, most });
    } catch (error) {
      if (errorCode(error) === null) throw error;
      if (this.#unreadable.length < UNREADABLE_MAX) this.#unreadable.push(readableName(node.path).text);
    }
  }

  async #open(node: Node, { skip, most }: { skip: number; most: number }): Promise<Inside> {
    const first = new FirstNames(skip + most);
    const ignored = new FirstNames(IGNORED_NAMES_MAX + 1);
    for await (const batch of readNames(node.path)) {
      for (const { name, isDirectory } of batch) {
        if (isTemporary(name)) continue;
        if (isIgnoredEntry(node, name, isDirectory)) ignored.add(name);
        else first.add(name);
      }
    }
    const listed = first.sorted().slice(skip);
    this.#remaining -= listed.length;
    for (const name of ignored.sorted()) this.#noteIgnored(name.toString("utf8"));
    node.children = await Promise.all(listed.map((name) => this.#node(node, name)));
    return { entries: first.count, listed: listed.length, ignored: ignored.count };
  }

  #noteIgnored(name: string): void {
    if (this.#ignoredNames.length <= IGNORED_NAMES_MAX && !this.#ignoredNames.includes(name))
      this.#ignoredNames.push(this.#ignoredNames.length === IGNORED_NAMES_MAX ? "…" : name);
  }

  async #node(parent: Node, name: Buffer): Promise<Node> {
    const path = Buffer.concat([parent.path, SLASH, name]);
    const { text, undecodable } = readableName(name);
    this.#undecodable ||= undecodable;
    const entry = entryOf(text, parent.entry.depth + 1);
    // The entry may have been deleted since the directory was read.
    const stats = await lstat(path).catch(() => null);
    if (stats !== null) Object.assign(entry, { kind: kindOf(stats), size: stats.size });
    if (entry.kind === "symlink") entry.target = await targetOf(path);
    return { path, rules: parent.rules, entry, children: [] };
  }
}

function isIgnoredEntry({ path, rules }: Node, name: Buffer, isDirectory: boolean): boolean {
  if (rules.length === 0) return false;
  const text = name.toString("utf8");
  return text !== ".git" && isIgnored(rules, join(path.toString("utf8"), text), isDirectory);
}

const entryOf = (name: string, depth: number): FileListEntry => ({
  name,
  depth,
  kind: "file",
  size: 0,
  target: null,
  inside: null,
});

const isTemporary = (name: Buffer): boolean => TEMPORARY_NAME.test(name.toString("latin1"));

const targetOf = (path: Buffer): Promise<string | null> =>
  readlink(path, "buffer").then(
    (target) => readableName(target).text,
    () => null,
  );

const flatten = (node: Node): FileListEntry[] => [node.entry, ...node.children.flatMap(flatten)];
