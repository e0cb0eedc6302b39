// sandbox.exec: runs one command to its end. The command is ended with the run, unless the code started it in the background or gave it an id.

import * as z from "zod";
import { ExecRequest } from "../../contract/exec.ts";
import { limits } from "../../contract/limits.ts";
import type { ProcessReport } from "../../contract/process.ts";
import type { Result } from "../../contract/result.ts";
import { outlivesCall, resolveExec } from "../../operations/exec.ts";
import { resolveProcessRead } from "../../operations/process-read.ts";
import { cancelProcess } from "../../operations/process-signal.ts";
import { ProcessValue, STREAM_CHARS, toProcessValue } from "./process-value.ts";
import { defineMethod, type ProviderRun } from "./provider.ts";

const request = ExecRequest.shape;

const input = z.strictObject({
  command: request.command,
  cwd: request.cwd.optional(),
  env: request.env.optional(),
  stdin: request.stdin.unwrap().optional(),
  timeout_ms: request.timeout_ms.unwrap().optional(),
  background: z.boolean().optional().describe("return at once; the command keeps running after the run"),
  process_id: request.process_id.optional().describe("attach to the same command instead of running it twice"),
});

export const exec = defineMethod({
  scope: "sandbox:exec",
  summary: "Runs a command with bash -c and waits for its end; a non-zero exit_code is a result, not an error",
  input,
  positional: ["command"],
  output: ProcessValue,
  async run(input, run) {
    const request = resolveExec(input, { idPrefix: "js-", waitMs: waitMs(run), streamChars: STREAM_CHARS });
    const atEnd = outlivesCall(request)
      ? null
      : run.onEnd(() => run.call("process-signal", cancelProcess(request.process_id)));
    const first = await run.call("exec", request);
    const result = input.background === true ? first : await waitForExit(first, run);
    if (result.ok && result.value.status === "exited") atEnd?.forget();
    return result.ok ? toProcessValue(result.value, run) : result;
  },
});

async function waitForExit(first: Result<ProcessReport>, run: ProviderRun): Promise<Result<ProcessReport>> {
  let result = first;
  while (result.ok && result.value.status !== "exited" && !run.signal.aborted) {
    const { process_id } = result.value;
    const options = { maxWaitMs: limits.waitMaxMs, streamChars: STREAM_CHARS };
    result = await run.call(
      "process-read",
      resolveProcessRead({ process_id, until: "exit", wait_ms: waitMs(run) }, options),
    );
  }
  return result;
}

const waitMs = (run: ProviderRun): number => Math.max(1, Math.min(run.remainingMs(), limits.waitMaxMs));
