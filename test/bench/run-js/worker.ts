// The same code run by run_js and by @cloudflare/codemode's executor, each in its own Dynamic Worker, with one provider method
// that answers at once.

import { DynamicWorkerExecutor, normalizeCode } from "@cloudflare/codemode";
import * as z from "zod";
import { succeed } from "../../../src/contract/result.ts";
import { defineMethod, type Provider } from "../../../src/isolate/providers/provider.ts";
import { workerIsolates } from "../../../src/isolate/worker-isolates.ts";
import { callTool } from "../../../tools/call-tool.ts";
import { runJs } from "../../../tools/run-js/run-js.ts";
import { MemorySandbox } from "../../isolate/fixture/memory-sandbox.ts";
import { onlyCalls } from "../../tools/only-calls.ts";

const timeoutMs = 5_000;

const probe: Provider = {
  name: "probe",
  summary: "answers what it was given",
  methods: {
    echo: defineMethod({
      scope: "sandbox:exec",
      summary: "The text itself",
      input: z.strictObject({ text: z.string() }),
      positional: [],
      output: "string",
      run: async ({ text }) => succeed(text),
    }),
  },
};

export { CodeRunner } from "../../../src/isolate/code-runner.ts";

export default {
  async fetch(request, env, context): Promise<Response> {
    const code = await request.text();
    if (new URL(request.url).pathname === "/codemode") {
      const executor = new DynamicWorkerExecutor({ loader: env.LOADER, timeout: timeoutMs, globalOutbound: null });
      const echo = async (input: unknown) => z.object({ text: z.string() }).parse(input).text;
      try {
        const { result, error, logs } = await executor.execute(normalizeCode(code), [{ name: "probe", fns: { echo } }]);
        return Response.json({ shown: show(result), error, logs });
      } catch (error) {
        // Of code that is no JavaScript, its promise rejects.
        return Response.json({ shown: {}, error: String(error) });
      }
    }
    const sandbox = new MemorySandbox("default", null);
    const sandboxes = onlyCalls(() => sandbox);
    const detach = (work: Promise<unknown>) => context.waitUntil(work);
    const isolates = workerIsolates({
      codeRunner: context.exports.CodeRunner,
      providers: [probe],
      principal: "bench",
      scopes: new Set(["sandbox:exec"]),
      openSandbox: sandboxes.open,
      openNetwork: () => null,
      openState: () => async () => succeed(undefined),
      detach,
    });
    const { signal } = request;
    const args = { code, timeout_ms: timeoutMs };
    return Response.json(
      await callTool(runJs, args, {
        sandboxes,
        isolates,
        arrivedAt: Date.now(),
        origin: "",
        signal,
        progress: null,
        detach,
      }),
    );
  },
} satisfies ExportedHandler<{ LOADER: WorkerLoader }>;

/** As its tool shows a value to a model: as JSON. */
function show(result: unknown): { json: string | undefined } | { fault: string } {
  try {
    return { json: JSON.stringify(result) };
  } catch (error) {
    return { fault: String(error) };
  }
}
