// What each resolver makes of the least and of the most that a caller can give.

import { expect, test } from "vitest";
import { limits } from "../../src/contract/limits.ts";
import { operations } from "../../src/contract/operation.ts";
import { outlivesCall, resolveExec } from "../../src/operations/exec.ts";
import { resolveFileBytes } from "../../src/operations/file-bytes.ts";
import { resolveFileEdit } from "../../src/operations/file-edit.ts";
import {
  resolveFileCopy,
  resolveFileDelete,
  resolveFileMkdir,
  resolveFileMove,
} from "../../src/operations/file-entries.ts";
import { resolveFileList } from "../../src/operations/file-list.ts";
import { resolveFileRead } from "../../src/operations/file-read.ts";
import { resolveFileAppend, resolveFileWrite } from "../../src/operations/file-write.ts";
import { resolveProcessRead } from "../../src/operations/process-read.ts";
import { cancelProcess, resolveProcessSignal } from "../../src/operations/process-signal.ts";
import { resolveProcessWrite } from "../../src/operations/process-write.ts";
import { resolveSearch } from "../../src/operations/search.ts";

const execOptions = { idPrefix: "p", waitMs: 1_000, streamChars: 50 };
const readOptions = { maxWaitMs: 60_000, streamChars: 50 };
const textLimits = { lineChars: 400, multilineChars: 4_000, pageChars: 36_000 };
const listDefaults = { depth: 2, entries: 500, innerEntries: 60 };

const processRead = { process_id: "p", stdout_offset: null, stderr_offset: null, stream_chars: 50 };
const hit = { mode: "content", path: ".", globs: [], type: null, literal: false, ignore_case: false } as const;
const page = { before: 0, after: 0, hidden: false, no_ignore: false, limit: limits.searchLimitDefault, offset: 0 };

const rows: [operation: keyof typeof operations, title: string, actual: unknown, request: unknown][] = [
  [
    "exec",
    "a command",
    { ...resolveExec({ command: "true" }, execOptions), process_id: "p1" },
    {
      process_id: "p1",
      repeatable: false,
      command: "true",
      cwd: "/workspace",
      env: {},
      stdin: null,
      stdin_open: false,
      timeout_ms: limits.timeoutDefaultMs,
      wait_ms: 1_000,
      start_wait_ms: 1_000,
      pty: null,
      stream_chars: 50,
    },
  ],
  [
    "exec",
    "a command with everything",
    resolveExec(
      {
        command: "true",
        cwd: "/tmp",
        env: { A: "b" },
        stdin: "in",
        timeout_ms: 5,
        wait_ms: 0,
        background: true,
        pty: true,
        process_id: "mine",
      },
      execOptions,
    ),
    {
      process_id: "mine",
      repeatable: true,
      command: "true",
      cwd: "/tmp",
      env: { A: "b" },
      stdin: "in",
      stdin_open: true,
      timeout_ms: 5,
      wait_ms: 0,
      start_wait_ms: 0,
      pty: { columns: 120, rows: 40 },
      stream_chars: 50,
    },
  ],
  [
    "process-read",
    "a read",
    resolveProcessRead({ process_id: "p" }, readOptions),
    { ...processRead, until: null, wait_ms: 0 },
  ],
  [
    "process-read",
    "a wait for the exit without until",
    resolveProcessRead({ process_id: "p", wait_ms: 5 }, readOptions),
    { ...processRead, until: "exit", wait_ms: 5 },
  ],
  [
    "process-read",
    "a wait that is longer than allowed",
    resolveProcessRead({ process_id: "p", until: "output", wait_ms: 90_000, stdout_offset: 3 }, readOptions),
    { ...processRead, stdout_offset: 3, until: "output", wait_ms: 60_000 },
  ],
  [
    "process-signal",
    "a signal",
    resolveProcessSignal({ process_id: "p" }),
    { process_id: "p", signal: "TERM", killed_by: "process_signal", then_kill: false },
  ],
  [
    "process-signal",
    "a cancellation",
    cancelProcess("p"),
    { process_id: "p", signal: "TERM", killed_by: "cancel", then_kill: true },
  ],
  [
    "process-write",
    "an end of input",
    resolved(resolveProcessWrite({ process_id: "p", eof: true })),
    { process_id: "p", data: "", eof: true },
  ],
  [
    "search",
    "a pattern",
    resolved(resolveSearch({ pattern: "a" }, textLimits)),
    { ...hit, ...page, pattern: "a", multiline: false, line_chars: 400, page_chars: 36_000 },
  ],
  [
    "search",
    "a pattern over several lines, with one glob",
    resolved(resolveSearch({ pattern: "a", glob: "*.ts", multiline: true, limit: 5, offset: 2 }, textLimits)),
    {
      ...hit,
      ...page,
      pattern: "a",
      globs: ["*.ts"],
      multiline: true,
      limit: 5,
      offset: 2,
      line_chars: 4_000,
      page_chars: 36_000,
    },
  ],
  [
    "file-read",
    "a path, with line 0 for the first",
    resolveFileRead({ path: "a", offset: 0 }),
    {
      path: "a",
      offset: 1,
      limit: limits.fileReadLines,
      column: 1,
      max_chars: limits.fileReadChars,
      force_text: false,
    },
  ],
  ["file-bytes", "a path", resolveFileBytes({ path: "a" }, { maxBytes: 10 }), { path: "a", offset: 0, length: 10 }],
  [
    "file-bytes",
    "a length over the limit",
    resolveFileBytes({ path: "a", offset: -5, length: 99 }, { maxBytes: 10 }),
    { path: "a", offset: -5, length: 10 },
  ],
  [
    "file-list",
    "nothing",
    resolveFileList({}, listDefaults),
    { path: ".", depth: 2, no_ignore: false, offset: 0, limit: 500, inner_limit: 60 },
  ],
  [
    "file-list",
    "a negative offset and a limit over the maximum",
    resolveFileList({ path: "a", depth: 1, no_ignore: true, offset: -1, limit: 1e9 }, listDefaults),
    { path: "a", depth: 1, no_ignore: true, offset: 0, limit: limits.fileListMaxEntries, inner_limit: 60 },
  ],
  [
    "file-write",
    "text",
    resolveFileWrite({ path: "a", content: "AP8=", encoding: "text", if_absent: true }),
    { path: "a", content: "AP8=", encoding: "utf-8", if_absent: true, expected_hash: null, dry_run: false },
  ],
  [
    "file-append",
    "base64",
    resolveFileAppend({ path: "a", content: "AP8=", encoding: "base64", expected_hash: "0123456789ab", dry_run: true }),
    { path: "a", content: "AP8=", encoding: "base64", expected_hash: "0123456789ab", dry_run: true },
  ],
  [
    "file-edit",
    "a replacement",
    resolved(resolveFileEdit({ path: "a", old_string: "x", new_string: "" })),
    {
      path: "a",
      edits: [{ kind: "replace", old_string: "x", new_string: "", replace_all: false }],
      expected_hash: null,
      dry_run: false,
    },
  ],
  ["file-mkdir", "a path", resolveFileMkdir({ path: "a" }), { path: "a", dry_run: false }],
  [
    "file-move",
    "two paths",
    resolveFileMove({ from: "a", to: "b" }),
    { from: "a", to: "b", overwrite: false, dry_run: false },
  ],
  [
    "file-copy",
    "two paths",
    resolveFileCopy({ from: "a", to: "b", overwrite: true }),
    { from: "a", to: "b", overwrite: true, dry_run: false },
  ],
  ["file-delete", "a path", resolveFileDelete({ path: "a" }), { path: "a", recursive: false, dry_run: false }],
];

test.each(rows)("%s is resolved from %s", (operation, _, actual, request) => {
  expect(actual).toEqual(request);
  expect(operations[operation].request.safeParse(actual)).toEqual({ success: true, data: request });
});

function resolved(result: { ok: boolean; value?: unknown }): unknown {
  return result.value;
}

test("resolveExec() makes a new id each time, with the prefix of its caller", () => {
  const ids = Array.from({ length: 100 }, () => resolveExec({ command: "true" }, execOptions).process_id);
  expect(new Set(ids).size).toBe(100);
  expect(ids.every((id) => /^p[0-9a-f]{12}$/.test(id))).toBe(true);
});

test.each<[object, boolean]>([
  [{}, false],
  [{ process_id: "mine" }, true],
  [{ background: true }, true],
])("outlivesCall() of a command with %j is %s", (input, expected) => {
  expect(outlivesCall(resolveExec({ command: "true", ...input }, execOptions))).toBe(expected);
});

const failures: [title: string, result: unknown, message: RegExp][] = [
  ["a write of nothing", resolveProcessWrite({ process_id: "p" }), /^write needs "data", or eof: true/],
  [
    "a pattern that is too long",
    resolveSearch({ pattern: "a".repeat(limits.searchPatternMaxBytes + 1) }, textLimits),
    /^Argument "pattern" has 65,537 bytes; the limit is 65,536\./,
  ],
  [
    "a pattern that ends in half of a character",
    resolveSearch({ pattern: "\ud83d" }, textLimits),
    /^Argument "pattern" contains half of a surrogate pair\./,
  ],
  [
    "replace_all beside a list of edits",
    resolveFileEdit({ path: "a", replace_all: true, edits: [{ old_string: "a", new_string: "b" }] }),
    /^Send either "edits" or one edit in the arguments themselves, not both\./,
  ],
  [
    "the second edit without new_string",
    resolveFileEdit({ path: "a", edits: [{ old_string: "a", new_string: "b" }, { old_string: "c" }] }),
    /^edits\.1 needs "new_string"/,
  ],
];

test.each(failures)("%s is refused", (_, result, message) => {
  expect(result).toEqual({
    ok: false,
    failure: { reason: "invalid_request", message: expect.stringMatching(message) },
  });
});
