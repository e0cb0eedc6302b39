// How a process is worded for a model: what became of it, what it left running, and which limit it met.

import { describe, expect, test } from "vitest";
import type { ProcessReport, StreamReport } from "../../../src/contract/process.ts";
import { formatSignalled } from "../../../tools/process/format-answers.ts";
import { formatReport } from "../../../tools/process/format-process.ts";

const none: StreamReport = {
  ...{
    text: "",
    bytes: 0,
    lines: 0,
    omitted_bytes: 0,
    invalid_utf8: false,
    log_path: null,
    log_capped: false,
    log_error: null,
  },
};
const exited: ProcessReport = {
  ...{ process_id: "p1", command: "server &", status: "exited", exit_code: 0, signal: null, timed_out: false },
  ...{
    killed_by: null,
    started_at: 0,
    duration_ms: 1_200,
    left_running: 0,
    left_for_ms: null,
    left_ended: 0,
    unclear: 0,
  },
  ...{ stdout_bytes: 0, stderr_bytes: 0, stdout: none, stderr: none, attached: false, hint: null, full_disk: null },
};
const hint = "The machine is at its limit of 960 processes and threads.";

const reports: [string, Partial<ProcessReport>, string][] = [
  [
    "what it left running, until when, and how to keep that",
    { left_running: 1, left_for_ms: 598_800 },
    'Exit code 0 after 1.2 s.\n1 process it started keeps running for at most another 9 min 59 s. To keep a server running, start it with background: true. Later output: process {action: "read", process_id: "p1"}. End it: process {action: "signal", process_id: "p1"}.\n(no output)',
  ],
  [
    "what it left running without a limit",
    { left_running: 2 },
    'Exit code 0 after 1.2 s.\n2 processes it started keep running. Later output: process {action: "read", process_id: "p1"}. End it: process {action: "signal", process_id: "p1"}.\n(no output)',
  ],
  [
    "what was ended when its time was over",
    { timed_out: true, killed_by: "timeout", left_ended: 2 },
    "Exit code 0 after 1.2 s. 2 processes that it had left running were ended when its timeout_ms was over.\n(no output)",
  ],
  [
    "a deadline that ended everything",
    { timed_out: true, killed_by: "timeout", exit_code: 143, signal: "SIGTERM" },
    "Timed out after 1.2 s: everything the command had started was ended (exit code 143, SIGTERM).\n(no output)",
  ],
  [
    "a deadline that may not have ended everything",
    { timed_out: true, killed_by: "timeout", exit_code: 143, signal: "SIGTERM", unclear: 2 },
    'Timed out after 1.2 s: all that is known to be the command\'s was ended; 2 processes in the machine may be too, but hid what started them (ps -e shows them, sandbox {action: "stop"} ends them) (exit code 143, SIGTERM).\n(no output)',
  ],
  ["the limit that it met", { exit_code: 254, hint }, `Exit code 254 after 1.2 s.\n${hint}\n(no output)`],
];

describe("formatReport()", () => {
  test.each(reports)("tells %s", (_what, changes, text) => {
    expect(formatReport({ ...exited, ...changes })).toBe(text);
  });
});

describe("formatSignalled()", () => {
  test("names what KILL does not end", () => {
    const unkillable = [{ pid: 7, name: "cat", state: "D" }];
    expect(formatSignalled({ process: { ...exited, left_running: 1 }, signalled: 1_003, unkillable }, "KILL")).toBe(
      'Sent SIGKILL to 1,003 processes. Exit code 0 after 1.2 s. 1 process it started is still running. Not ended by KILL: cat (pid 7, state D). The kernel ends a process only once it is no longer waiting inside the kernel. To end it now, stop the sandbox: sandbox {action: "stop"} keeps the files.',
    );
  });
});
