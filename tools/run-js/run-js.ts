// run_js: runs a program that the model wrote in an isolate, which reaches the sandbox and nothing else. Only what the program
// returns and logs comes back, so one call can do the work of many.

import * as z from "zod";
import { limits } from "../../src/contract/limits.ts";
import { truncate } from "../../src/format/truncate.ts";
import { briefDeclarations } from "../../src/isolate/brief-declarations.ts";
import type { Notice } from "../../src/sandbox/answer.ts";
import type { SandboxCalls } from "../../src/sandbox/sandbox.ts";
import { answerFailure, content } from "../answer.ts";
import { parseIfJson, stringList, wholeNumber } from "../input.ts";
import { openSandbox, sandboxName } from "../sandbox-name.ts";
import { defineTool, type ToolCall } from "../tool.ts";
import { formatRun } from "./format-run.ts";

const input = z.object({
  code: z
    .string()
    .min(1)
    .describe(
      "JavaScript or TypeScript; its value is the last expression, or what it returns. A function gets {input, sandbox, …}",
    ),
  input: z
    .preprocess(parseIfJson, z.unknown().meta({ type: "object" }))
    .optional()
    .describe("JSON for the code, as `input`"),
  tools: stringList().optional().describe('Grant only these, such as ["sandbox.readFile", "state"]; default all'),
  timeout_ms: wholeNumber(1, limits.waitMaxMs)
    .optional()
    .describe(`The code is ended after this; default ${limits.waitDefaultMs}`),
  sandbox: sandboxName(),
});

const description = `Runs JavaScript that works on a sandbox by calling the methods below, and returns its value and logs. One call can do the work of many; only what is returned or logged comes back, so return little. Top-level await and TypeScript work. fetch reaches the hosts that the sandbox may reach. No packages, and no files except through these methods (arguments in one object; bytes are Uint8Array; help() in the code has full types, and github.* if configured):
${briefDeclarations()}
A failed call throws SandboxError {reason, message}.`;

export const runJs = defineTool({
  name: "run_js",
  title: "Run JavaScript",
  description,
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input,
  output: z.object({
    value: z.unknown().optional().describe("A value that is JSON"),
    value_text: z.string().optional().describe("Any other, or one that was shortened"),
    error: z
      .object({
        name: z.string(),
        message: z.string(),
        reason: z.string().optional(),
        line: z.number().optional(),
        column: z.number().optional(),
        excerpt: z.string().optional(),
        details: z.string().optional(),
      })
      .optional(),
    logs: z.string(),
    calls: z.array(z.object({ name: z.string(), count: z.number(), failed: z.number(), ms: z.number() })),
    notice: z.string().optional(),
  }),
  async run(input, call) {
    const sandbox = openSandbox(call, input.sandbox);
    const timeoutMs = input.timeout_ms ?? limits.waitDefaultMs;
    const progress = startProgress(call);
    try {
      const result = await call.isolates.run({
        code: input.code,
        input: input.input === undefined ? null : { value: input.input },
        tools: input.tools ?? null,
        sandbox: sandbox.name,
        deadline: call.arrivedAt + timeoutMs,
        timeoutMs,
        signal: call.signal,
        onProgress: progress.send,
      });
      if (!result.ok) return answerFailure(result.failure);
      const { text, structured, notice } = formatRun(result.value);
      return {
        outcome: content(text, structured),
        notice:
          notice === null ? null : { text: notice, acknowledge: () => acknowledgeAll(sandbox, result.value.notices) },
      };
    } finally {
      progress.stop();
    }
  },
});

async function acknowledgeAll(sandbox: SandboxCalls, notices: readonly Notice[]): Promise<void> {
  for (const notice of notices) await sandbox.acknowledge(notice);
}

/** Sends calls and log lines to a client that asked for progress, at most four a second, and "Running" in quiet periods. */
function startProgress({ progress }: ToolCall): { send: (message: string) => void; stop: () => void } {
  if (progress === null) return { send: () => undefined, stop: () => undefined };
  let last = 0;
  const send = (message: string) => {
    const now = Date.now();
    if (now - last < limits.progressIntervalMs) return;
    last = now;
    // A client that has gone away aborts the signal of the call, so an undelivered message needs no handling.
    progress(truncate(message, PROGRESS_CHARS)).catch(() => undefined);
  };
  const timer = setInterval(() => send("Running"), limits.progressQuietMs);
  return { send, stop: () => clearInterval(timer) };
}

/** The length of one progress message. */
const PROGRESS_CHARS = 200;
