// File operations on a directory with a million files and on a tree of 10,000 levels: each works or says why, other calls are
// answered in the meantime, and the runner's memory stays bounded.

import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OperationName, RequestOf } from "../../../src/contract/operation.ts";
import { type RunnerUnderTest, startRunner } from "../runner-under-test.ts";

const FILES = 1_000_000;
const LEVELS = 10_000;
const root = mkdtempSync(join(tmpdir(), "huge-trees-"));
const workspace = join(root, "workspace");
let runner: RunnerUnderTest;

/** Names are not UTF-8; in `long` each has 255 bytes. */
const TREES = `
  mkdir("wide") or die; for (1..${FILES}) { open(F, ">", sprintf("wide/%07d\\xff", $_)) or die }
  sub nest { my ($top, $name, $levels) = @_; mkdir $top; chdir $top;
    for (1..$levels) { mkdir $name or die; chdir $name or die } open(F, ">", "bottom") }
  nest("${workspace}/deep", "d", ${LEVELS}); nest("${workspace}/long", "\\xfe" x 255, 300);`;

beforeAll(async () => {
  runner = await startRunner({
    env: { RUNNER_WORKSPACE: workspace, RUNNER_HOME: join(root, "home"), RUNNER_STATE_DIRECTORY: join(root, "state") },
  });
  expect(spawnSync("sh", ["-c", 'mkdir -p "$1"; cd "$1" && exec perl -e "$2"', "sh", workspace, TREES]).status).toBe(0);
}, 600_000);

afterAll(async () => {
  await runner.stop();
  spawnSync("rm", ["-rf", root]);
}, 600_000);

/** Runs `work` beside commands, and answers with the slowest of them. */
async function beside<Value>(work: Promise<Value>): Promise<{ value: Value; slowestMs: number }> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  let slowestMs = 0;
  while (!isDone) {
    const began = performance.now();
    await runner.exec("true");
    slowestMs = Math.max(slowestMs, performance.now() - began);
  }
  return { value: await done, slowestMs };
}

const list = (path: string, depth: number) =>
  ({ name: "file-list", request: { path, depth, limit: 500, offset: 0, no_ignore: false } }) as const;
const remove = (path: string, recursive: boolean, dry_run: boolean) =>
  ({ name: "file-delete", request: { path, recursive, dry_run } }) as const;
const search = (mode: RequestOf<"search">["mode"], path: string) =>
  ({
    name: "search",
    request: {
      ...{ mode, path, pattern: mode === "names" ? "*bottom*" : "hello", globs: [], type: null, literal: false },
      ...{ ignore_case: false, multiline: false, before: 0, after: 0, hidden: false, no_ignore: false, limit: 100 },
      ...{ offset: 0, line_chars: 500, page_chars: 20_000 },
    },
  }) as const;

type Call = { [Name in OperationName]: { readonly name: Name; readonly request: RequestOf<Name> } }[OperationName];

/** A number for a success, as far as one shows that all was seen; the reason of a failure otherwise. */
const ROWS: readonly (readonly [string, Call, object])[] = [
  ["list wide", list("wide", 1), { inside: { entries: FILES, listed: 500, ignored: 0 }, undecodable_names: true }],
  ["list all", list(".", 20), { unreadable: [] }],
  ["list deep", list("deep", 20), { inside: { entries: 1, listed: 1, ignored: 0 } }],
  ["stat wide", { name: "file-stat", request: { path: "wide" } }, { entries: FILES }],
  ["stat deep", { name: "file-stat", request: { path: "deep" } }, { entries: 1 }],
  ["delete wide without recursive", remove("wide", false, false), { reason: "not_empty", entries: FILES }],
  ["dry delete wide", remove("wide", true, true), { files: FILES, directories: 1, counted_all: false }],
  ["dry delete deep", remove("deep", true, true), { files: 1, directories: LEVELS + 1, counted_all: true }],
  [
    "copy wide",
    { name: "file-copy", request: { from: "wide", to: "copy", overwrite: false, dry_run: false } },
    { reason: "refused" },
  ],
  [
    "copy deep",
    { name: "file-copy", request: { from: "deep", to: "copy", overwrite: false, dry_run: false } },
    { reason: "refused" },
  ],
  [
    "move wide",
    { name: "file-move", request: { from: "wide", to: "wide 2", overwrite: false, dry_run: false } },
    { kind: "directory" },
  ],
  [
    "move deep",
    { name: "file-move", request: { from: "deep", to: "deep 2", overwrite: false, dry_run: false } },
    { kind: "directory" },
  ],
  ["search names", search("names", "."), {}],
  ["search content", search("content", "."), {}],
  ["usage", { name: "usage", request: {} }, {}],
];

describe("the runner with a million files in one directory, and 10,000 directories in each other", () => {
  test.each(ROWS)("answers %s, and other calls in the meantime", async (_, { name, request }, expected) => {
    const { value, slowestMs } = await beside(runner.call(name, request));
    expect(value.ok ? value.value : value.failure).toMatchObject(expected);
    expect(slowestMs).toBeLessThan(5_000);
  });
});
