// The actions of the process tool.

import { limits } from "../../src/contract/limits.ts";
import type { ProcessReadResult } from "../../src/contract/process-read.ts";
import { truncate } from "../../src/format/truncate.ts";
import { resolveProcessRead } from "../../src/operations/process-read.ts";
import { resolveProcessSignal } from "../../src/operations/process-signal.ts";
import { resolveProcessWrite } from "../../src/operations/process-write.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { type ActionTable, actionsOf } from "../actions.ts";
import { answerFailure, answerOperation, content } from "../answer.ts";
import type { ToolCall } from "../tool.ts";
import type { ProcessArguments } from "./arguments.ts";
import {
  countWaiting,
  formatProcessList,
  formatRead,
  formatSignalled,
  formatUnkillable,
  formatWritten,
} from "./format-answers.ts";
import { optionalField, structureReport, structureSummary } from "./structure-process.ts";

interface Context {
  sandbox: Sandbox;
  call: ToolCall;
}

const action = actionsOf<ProcessArguments, Context>();

const list = action({
  needs: [],
  takes: [],
  async run(_, { sandbox }) {
    return answerOperation(sandbox, await sandbox.call("process-list", {}), ({ processes, dropped }) => {
      const now = Date.now();
      const { text, shown } = formatProcessList({ processes, dropped }, now);
      const entries = processes.slice(0, shown).map((entry) => ({
        ...structureSummary(entry),
        command: truncate(entry.command, COMMAND_CHARS),
        age_ms: Math.max(0, now - entry.started_at),
      }));
      return content(text, {
        processes: entries,
        ...optionalField("not_shown", processes.length - shown || null),
        ...optionalField("dropped", dropped || null),
      });
    });
  },
});

/** The length of a command in the structured list. */
const COMMAND_CHARS = 300;

const read = action({
  needs: ["process_id"],
  takes: ["stdout_offset", "stderr_offset", "until", "wait_ms"],
  async run(input, { sandbox }) {
    const options = { maxWaitMs: limits.waitMaxMs, streamChars: limits.answerStreamChars };
    const answer = await sandbox.call("process-read", resolveProcessRead(input, options));
    return answerOperation(sandbox, answer, (report) => content(formatRead(report), structureRead(report)));
  },
});

function structureRead(report: ProcessReadResult): Record<string, unknown> {
  const structured = structureReport(report);
  return {
    ...structured,
    truncated: structured["truncated"] === true || countWaiting(report) > 0,
    next_stdout: report.next_stdout,
    next_stderr: report.next_stderr,
    ...optionalField("lost_stdout", report.lost_stdout || null),
    ...optionalField("lost_stderr", report.lost_stderr || null),
  };
}

const write = action({
  needs: ["process_id"],
  takes: ["data", "eof"],
  async run(input, { sandbox }) {
    const request = resolveProcessWrite(input);
    if (!request.ok) return answerFailure(request.failure);
    return answerOperation(sandbox, await sandbox.call("process-write", request.value), (written) =>
      content(formatWritten(written, request.value.eof), {
        ...structureSummary(written.process),
        written_bytes: written.written_bytes,
        ...optionalField("queued_bytes", written.queued_bytes || null),
        next_stdout: written.process.stdout_bytes,
        next_stderr: written.process.stderr_bytes,
      }),
    );
  },
});

const signal = action({
  needs: ["process_id"],
  takes: ["signal"],
  async run(input, { sandbox, call }) {
    if (call.signal.aborted) return answerFailure({ reason: "cancelled" });
    const request = resolveProcessSignal(input);
    return answerOperation(sandbox, await sandbox.call("process-signal", request), (result) =>
      content(formatSignalled(result, request.signal), {
        ...structureSummary(result.process),
        signalled: result.signalled,
        ...optionalField("unkillable", result.unkillable.length === 0 ? null : result.unkillable.map(formatUnkillable)),
      }),
    );
  },
});

export const processActions: ActionTable<ProcessArguments, Context> = {
  actions: { list, read, write, signal },
  described: { process_id: 'the id of a process (see process {action: "list"})' },
};
