// run_js: a program of the model's own, run in an isolate that reaches the sandbox and nothing else. Only what it returns and
// logs comes back, so one call does the work of many.

import * as z from "zod";
import { limits } from "../../src/contract/limits.ts";
import { briefDeclarations } from "../../src/isolate/brief-declarations.ts";
import { DEFAULT_SANDBOX } from "../../src/sandbox/sandbox.ts";
import { wholeNumber } from "../input.ts";
import { sandboxName } from "../sandbox-name.ts";
import { defineTool, type ToolCall } from "../tool.ts";
import { runJsStructured, runJsText, toReport } from "./format-outcome.ts";

const input = z.object({
  code: z
    .string()
    .min(1)
    .describe(
      "JavaScript or TypeScript; the last expression, or what is returned, is the value. A function gets {input, sandbox, …}",
    ),
  input: z
    .preprocess(fromJsonText, z.unknown().meta({ type: "object" }))
    .optional()
    .describe("JSON that the code finds as `input`"),
  tools: z
    .preprocess(toList, z.array(z.string()))
    .optional()
    .describe('Grant only these, such as ["sandbox.readFile", "state"]; default all'),
  timeout_ms: wholeNumber(1, limits.waitMaxMs)
    .optional()
    .describe(`The code is ended after this; default ${limits.waitDefaultMs}`),
  sandbox: sandboxName(),
});

const description = `Runs JavaScript that works on a sandbox by calling these, and answers its value and logs. One call can do the work of many; only what is returned or logged comes back, so return little. Top-level await and TypeScript are fine. fetch reaches what the sandbox may reach. No packages, no files but through these (arguments in one object; bytes are Uint8Array; help() inside has full types, and github.* where configured):
${briefDeclarations()}
A failed call throws SandboxError {reason, message}.`;

export const runJs = defineTool({
  name: "run_js",
  title: "Run JavaScript",
  description,
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  scope: "sandbox:exec",
  input,
  output: z.object({
    value: z.unknown().optional().describe("Where it is JSON"),
    value_text: z.string().optional().describe("Otherwise, or cut"),
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
    const timeoutMs = input.timeout_ms ?? limits.waitDefaultMs;
    const progress = startProgress(call);
    try {
      const result = await call.isolates.run({
        code: input.code,
        input: input.input === undefined ? null : { value: input.input },
        tools: input.tools ?? null,
        sandbox: input.sandbox ?? DEFAULT_SANDBOX,
        deadline: call.arrivedAt + timeoutMs,
        timeoutMs,
        signal: call.signal,
        onProgress: progress.tell,
      });
      if (!result.ok) return { failure: result.failure, notice: null };
      const report = toReport(result.value);
      return { text: runJsText(report), structured: runJsStructured(report) };
    } finally {
      progress.stop();
    }
  },
});

/** An object or a list inside a string; other text is what it is. */
function fromJsonText(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function toList(value: unknown): unknown {
  const parsed = fromJsonText(value);
  return typeof parsed === "string" ? parsed.split(/[\s,]+/).filter((name) => name !== "") : parsed;
}

/** For a client that asked: what is being called or was logged, at most four times a second, and that it still runs. */
function startProgress({ progress }: ToolCall): { tell: (message: string) => void; stop: () => void } {
  if (progress === null) return { tell: () => undefined, stop: () => undefined };
  let last = 0;
  const tell = (message: string) => {
    const now = Date.now();
    if (now - last < limits.progressIntervalMs) return;
    last = now;
    // A client that has gone is noticed elsewhere.
    progress(message.slice(0, 200)).catch(() => undefined);
  };
  const timer = setInterval(() => tell("Running"), limits.progressQuietMs);
  return { tell, stop: () => clearInterval(timer) };
}
