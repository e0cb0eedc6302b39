// A failure is formatted as what happened and what to do next.

import { expect, test } from "vitest";
import type { Failure } from "../../src/contract/failure.ts";
import { formatFailure } from "../../src/format/format-failure.ts";

test.each<[Failure, string]>([
  [
    { reason: "not_found", kind: "cwd", name: "/nowhere" },
    'The working directory "/nowhere" does not exist, so the command was not run. Create it first, or leave cwd out for /workspace.',
  ],
  [
    { reason: "not_found", kind: "process", name: "p1" },
    'No process has the id "p1". See process list for the existing ones.',
  ],
  [
    { reason: "process_conflict", process_id: "build" },
    'process_id "build" already belongs to another command. Choose a new process_id, or repeat the first command unchanged to attach to it.',
  ],
  [
    { reason: "machine_unavailable", message: "it did not start", retry_after_ms: 5_000 },
    "No machine is available: it did not start. Try again in 5 s.",
  ],
  [
    { reason: "machine_restarted", process_id: "build" },
    'The machine was restarted, and process "build" was lost with it. Check the state of the files, then run the command again with a new process_id.',
  ],
  [
    { reason: "stdin_closed", process_id: "p1", status: "running" },
    'Process "p1" has no open stdin. Start it with exec and background: true to write to it later.',
  ],
  [
    { reason: "too_large", subject: "The command", actual: 200_000, limit: 131_071, unit: "bytes" },
    "The command is 200,000 bytes; the limit is 131,071. Send less at once, or write a large text to a file first.",
  ],
  [
    { reason: "quota_exceeded", subject: "live processes", limit: 200 },
    "There may be at most 200 live processes. End some before starting more.",
  ],
])("formatFailure() of %j", (failure, words) => {
  expect(formatFailure(failure)).toBe(words);
});
