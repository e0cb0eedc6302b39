// A provider call acknowledges the notices that it shows to the caller of the run, and no others.

import { expect, test } from "vitest";
import { fail } from "../../../src/contract/result.ts";
import type { ProviderRun } from "../../../src/isolate/providers/provider.ts";
import { sandbox } from "../../../src/isolate/providers/sandbox.ts";

const inputs: Record<string, Record<string, unknown>> = {
  exec: { command: "true" },
  readFile: { path: "a" },
  writeFile: { path: "a", content: "" },
  appendFile: { path: "a", content: "" },
  editFile: { path: "a", old_string: "a", new_string: "b" },
  listFiles: {},
  stat: { path: "a" },
  mkdir: { path: "a" },
  move: { from: "a", to: "b" },
  copy: { from: "a", to: "b" },
  remove: { path: "a" },
  search: { pattern: "a" },
  listProcesses: {},
  readProcess: { process_id: "a" },
  writeProcess: { process_id: "a", data: "" },
  signalProcess: { process_id: "a" },
};

test.each(Object.entries(sandbox.methods))("sandbox.%s() does not swallow a notice", async (name, method) => {
  const [shown, acknowledged]: string[][] = [[], []];
  const run: ProviderRun = {
    sandbox: {
      name: "default",
      call: async () => ({ result: fail({ reason: "cancelled" }), notice: { id: "id", text: "restarted" } }),
      acknowledge: async ({ text }) => void acknowledged?.push(text),
    },
    state: () => Promise.reject(new Error("There is no state here")),
    leftMs: () => 10_000,
    signal: new AbortController().signal,
    notice: (text) => shown?.push(text),
    onEnd: () => ({ forget: () => undefined }),
  };
  await method.run(method.input.parse(inputs[name]), run);
  expect(acknowledged).toEqual(shown);
});
