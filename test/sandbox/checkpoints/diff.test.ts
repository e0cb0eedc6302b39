// What a diff says, on a real runner, about every kind of change: what it shows of a path, what was renamed, and what a directory
// stands for.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { CheckpointDiff } from "../../../src/contract/checkpoint.ts";
import { formatDiff } from "../../../tools/sandbox/format-diff.ts";
import { type MachineUnderTest, machineUnderTest } from "../../runner/checkpoint/machine-under-test.ts";
import { unwrap } from "../../runner/runner-under-test.ts";
import { type SandboxUnderTest, sandboxUnderTest } from "../sandbox-under-test.ts";

let host: MachineUnderTest;
let sandbox: SandboxUnderTest;
beforeAll(async () => {
  host = await machineUnderTest();
});
beforeEach(async () => {
  vi.spyOn(console, "error").mockReturnValue();
  host.renew();
  sandbox = sandboxUnderTest({ runner: host.runner });
  unwrap(await sandbox.machine.up());
});
afterEach(() => {
  vi.restoreAllMocks();
  // Ends the watch for the end of the machine.
  sandbox.platform.isRunning = false;
});
afterAll(async () => {
  // Asked to end, it would wait for a last checkpoint.
  host.runner.child.kill("SIGKILL");
  await host.stop();
});

/** The diff from "first" to the present files, and the same to a checkpoint of them, which must say the same. */
async function diffs(before: string, after: string, path: string | null): Promise<[CheckpointDiff, string]> {
  host.sh(before);
  unwrap(await sandbox.keeper.take("named", "first"));
  host.sh(after);
  const now = unwrap(await sandbox.keeper.diff({ from: "first", to: null, path }));
  unwrap(await sandbox.keeper.take("named", "second"));
  const stored = unwrap(await sandbox.keeper.diff({ from: "first", to: "second", path }));
  expect(stored).toEqual(now);
  const text = formatDiff(now, { from: "first", to: null, path });
  const named = text.replace(/^(--- a|\+\+\+ b)\/.*\/workspace\//gm, "$1/");
  return [now, named.replaceAll(`${host.workspace}/`, "").replaceAll(host.root, "ROOT")];
}

const few =
  "mkdir d e; echo 1 > d/a; echo 2 > d/b; echo 3 > top; ln -s top link; mkfifo pipe; mkdir empty; sleep 0.01;";
const many =
  "mkdir -p m; for i in $(seq 20); do mkdir -p m/$i; for j in $(seq 10); do echo $i.$j > m/$i/$j; done; done;";

test.each<[string, string, string, string | null, string[]]>([
  ["nothing", few, "", null, ["From first to now nothing differs."]],
  [
    "paths of every kind",
    few,
    "echo 4 > new; echo x > top; rm d/a; rmdir empty; mkdir made; chmod 700 e; ln -sfn d link",
    null,
    [
      "From first to now: 2 added, 3 changed, 2 removed",
      "A made/",
      "A new",
      "M e/ (mode 755 -> 700)",
      "M link",
      "M top",
      "D d/a",
      "D empty/",
    ],
  ],
  ["a file whose mode alone changed", few, "chmod 600 top", "top", ["From first to now:", "M top (mode 644 -> 600)"]],
  [
    "a file whose mode and text changed",
    few,
    "chmod 600 top; echo 4 > top",
    "./top",
    ["From first to now:", "M top (mode 644 -> 600)", "", "--- a/top", "+++ b/top", "@@ -1 +1 @@", "-3", "+4", ""],
  ],
  ["a file that is the same", few, "echo > d/a", "top", ["From first to now, top is the same."]],
  ["a path that never existed", few, "echo > d/a", "nowhere", ["From first to now, nowhere is in neither."]],
  [
    "a directory that holds changes",
    few,
    "echo 4 > d/c; rm d/b; echo > top",
    "d/",
    ["From first to now, in d: 1 added, 0 changed, 1 removed", "A d/c", "D d/b"],
  ],
  ["a directory that holds none", few, "echo > top", "d", ["From first to now, d is the same."]],
  [
    "a directory that is new",
    few,
    "mkdir n; echo > n/a",
    "n",
    ["From first to now, in n: 2 added, 0 changed, 0 removed", "A n/", "A n/a"],
  ],
  [
    "a file that became a directory",
    few,
    "rm top; mkdir top; echo > top/a",
    "top",
    [
      "From first to now, in top: 1 added, 1 changed, 0 removed",
      "A top/a",
      "M top/ (file -> directory)",
      "",
      "--- a/top",
      "+++ /dev/null",
      "@@ -1 +0,0 @@",
      "-3",
      "",
    ],
  ],
  [
    "a file that became a symlink",
    few,
    "rm top; ln -s d/a top",
    "top",
    [
      "From first to now:",
      "M top (file -> symlink)",
      "",
      '+symlink to "d/a"',
      "--- a/top",
      "+++ /dev/null",
      "@@ -1 +0,0 @@",
      "-3",
      "",
    ],
  ],
  [
    "the target of a symlink",
    few,
    "ln -sfn d/a link",
    "link",
    ["From first to now:", "M link", "", '-symlink to "top"', '+symlink to "d/a"', ""],
  ],
  [
    "the text of a file with two names",
    'mkdir a; echo 1 > "a/ö\'n\\\\e"; ln a/* two; sleep 0.01',
    "rm two; echo 2 > two",
    "two",
    ["From first to now:", "M two", "", "--- a/two", "+++ b/two", "@@ -1 +1 @@", "-1", "+2", ""],
  ],
  ["a symlink that is the same", few, "echo > top", "link", ["From first to now, link is the same."]],
  ["a pipe that was removed", few, "rm pipe", "pipe", ["From first to now:", "D pipe"]],
  [
    "a file outside of what is kept",
    few,
    "",
    "/etc/hosts",
    ["/etc/hosts is not compared: checkpoints keep only ROOT/workspace, ROOT/home."],
  ],
  ["all that is kept", few, "rm top", "/", ["From first to now, in /: 0 added, 0 changed, 1 removed", "D top"]],
  [
    "a path with dots and a slash",
    few,
    "rm d/a",
    "../workspace/./d//",
    ["From first to now, in d: 0 added, 0 changed, 1 removed", "D d/a"],
  ],
  [
    "names with special characters",
    few,
    "echo > $'new\\nline'; echo > '[a]*?'; echo > '-x'; echo > ' '",
    null,
    ["From first to now: 4 added, 0 changed, 0 removed", "A  ", "A -x", "A [a]*?", 'A "new\\nline"'],
  ],
  [
    "the text of a name with special characters",
    "echo 1 > '[a]*?'",
    "echo 2 > '[a]*?'",
    "[a]*?",
    ["From first to now:", "M [a]*?", "", "--- a/[a]*?", "+++ b/[a]*?", "@@ -1 +1 @@", "-1", "+2", ""],
  ],
  [
    "the text of a name that is not UTF-8, as a diff shows it",
    "echo 1 > $'o\\xffd'",
    "echo 2 > $'o\\xffd'",
    "o\ufffdd",
    ["From first to now:", "M o\ufffdd", "", "--- a/o\ufffdd", "+++ b/o\ufffdd", "@@ -1 +1 @@", "-1", "+2", ""],
  ],
  [
    "a file that was renamed",
    few,
    "mv top other",
    null,
    ["From first to now: 0 added, 0 changed, 0 removed, 1 renamed", "R top -> other"],
  ],
  [
    "a file that was moved, asked for by its old name",
    few,
    "mv top e/",
    "top",
    ["From first to now:", "R top -> e/top", "", "--- a/top", "+++ /dev/null", "@@ -1 +0,0 @@", "-3", ""],
  ],
  [
    "a file that was copied is no rename",
    few,
    "cp -p top other",
    null,
    ["From first to now: 1 added, 0 changed, 0 removed", "A other"],
  ],
  [
    "a directory that was renamed, with a change and a removal in it",
    `${many} sleep 0.01`,
    "mv m/7 m/seven; echo new > m/seven/3; rm m/seven/4",
    null,
    [
      "From first to now: 1 added, 0 changed, 2 removed, 8 renamed",
      "R m/7/ -> m/seven/ (8 files)",
      "A m/seven/3",
      "D m/7/3",
      "D m/7/4",
    ],
  ],
  [
    "a tree that was moved",
    `${many} mkdir e; sleep 0.01`,
    "mv m e/",
    null,
    ["From first to now: 0 added, 0 changed, 0 removed, 200 renamed", "R m/ -> e/m/ (200 files)"],
  ],
  [
    "files that all have the same time and size are paired by their names",
    "mkdir -p p/a p/b; for f in p/a/x p/a/y p/b/x p/b/y; do echo 1 > $f; touch -d @1000 $f; done",
    "mv p q",
    null,
    ["From first to now: 0 added, 0 changed, 0 removed, 4 renamed", "R p/ -> q/ (4 files)"],
  ],
  [
    "other files of the same size and whole second are no renames",
    "echo 1 > a; touch -d @1000 a",
    "rm a; echo 2 > b; touch -d @1000 b",
    null,
    ["From first to now: 1 added, 0 changed, 1 removed", "A b", "D a"],
  ],
  [
    "a large removal",
    `${many} echo > kept`,
    "rm -rf m",
    null,
    ["From first to now: 0 added, 0 changed, 221 removed", "D m/ (200 files)"],
  ],
  [
    "a large addition",
    "echo > kept",
    many,
    null,
    ["From first to now: 221 added, 0 changed, 0 removed", "A m/ (200 files)"],
  ],
  [
    "a large removal of which something stayed",
    `${many} for i in $(seq 300); do mkdir m/x$i; echo > m/x$i/f; done`,
    "find m -mindepth 1 -maxdepth 1 ! -name 7 -exec rm -rf {} +",
    null,
    ["From first to now: 0 added, 0 changed, 809 removed", "D 490 files in m/"],
  ],
])("diff() tells of %s", async (_, before, after, path, lines) => {
  const [, text] = await diffs(before, after, path);
  expect(text.split("\n")).toEqual(lines);
});

test("diff() tells of another owner", async () => {
  if (process.getuid?.() !== 0) return;
  const [, text] = await diffs(few, "chown 7:8 top e", null);
  expect(text.split("\n").slice(1)).toEqual(["M e/ (owner 0:0 -> 7:8)", "M top (owner 0:0 -> 7:8)"]);
});

test("diff() answers the same as structure: groups, renames, details, and what the path is", async () => {
  const [diff] = await diffs(`${many} ${few}`, "rm -rf m; mv top other; chmod 600 d/a", null);
  const at = (name: string) => `${host.workspace}/${name}`;
  expect(diff).toEqual({
    ...{ added: [], added_count: 0, changed: [at("d/a")], changed_count: 1, removed: [], removed_count: 221 },
    groups: [{ change: "removed", path: at("m/"), files: 200, whole: true }],
    renamed: [{ from: at("top"), to: at("other"), files: 1 }],
    renamed_count: 1,
    details: [{ path: at("d/a"), what: "mode 644 -> 600" }],
    ...{ subject: null, text: null },
  });
  const { subject } = unwrap(await sandbox.keeper.diff({ from: "first", to: null, path: "d/a" }));
  expect(subject).toEqual({ path: at("d/a"), from: "file", to: "file", outside_of: null, has_text: false });
});
