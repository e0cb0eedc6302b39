// A temporary workspace for one test, searched with the runner's own operation.

import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { search } from "../../../container/runner/search/search.ts";
import type { Result } from "../../../src/contract/result.ts";
import type { SearchRequest, SearchResult } from "../../../src/contract/search.ts";

export interface Tree {
  workspace: string;
  write(path: string, content: string | Buffer, options?: { minutesOld?: number }): void;
  search(request: Partial<SearchRequest>, options?: { ripgrep?: string }): Promise<Result<SearchResult>>;
}

export function makeTree(files: Record<string, string | Buffer> = {}): Tree {
  const workspace = mkdtempSync(join(tmpdir(), "search-"));
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }));
  const tree: Tree = {
    workspace,
    write(path, content, { minutesOld = 0 } = {}) {
      const file = join(workspace, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      const time = new Date(Date.now() - minutesOld * 60_000);
      utimesSync(file, time, time);
    },
    search: (request, { ripgrep = "rg" } = {}) =>
      search({ ...plain, ...request }, { workspace, home: workspace, ripgrep }),
  };
  for (const [path, content] of Object.entries(files)) tree.write(path, content);
  return tree;
}

const plain: SearchRequest = {
  mode: "content",
  pattern: "needle",
  path: ".",
  globs: [],
  type: null,
  literal: false,
  ignore_case: false,
  multiline: false,
  before: 0,
  after: 0,
  hidden: false,
  no_ignore: false,
  limit: 100,
  offset: 0,
  line_chars: 400,
  page_chars: 36_000,
};

/** Each file with its lines, as `12:text` for a hit and `13-text` for context. */
export function linesOf(result: Result<SearchResult>): Record<string, string[]> | unknown {
  if (!result.ok) return result.failure;
  return Object.fromEntries(
    result.value.files.map(({ path, lines }) => [
      path,
      lines.map(({ line, hit, text }) => `${line}${hit ? ":" : "-"}${text}`),
    ]),
  );
}

export const pathsOf = (result: Result<SearchResult>): string[] | unknown =>
  result.ok ? result.value.files.map(({ path }) => path) : result.failure;
