// Progress messages while a machine takes long to start.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { limits } from "../../../src/contract/limits.ts";
import { fail } from "../../../src/contract/result.ts";
import { previewExec } from "../../../src/sandbox/previews/preview-exec.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { waitForExit } from "../../../tools/exec/wait-for-exit.ts";
import type { ToolCall } from "../../../tools/tool.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("waitForExit() reports that a machine is starting until it answers", async () => {
  const unavailable = fail({ reason: "machine_unavailable", message: "none is free", retry_after_ms: 1 });
  const slow: Pick<Sandbox, "call"> = {
    call: () => new Promise((resolve) => setTimeout(() => resolve({ result: unavailable, notice: null }), 5_000)),
  };
  const said: string[] = [];
  const call = { progress: async (message: string) => void said.push(message), arrivedAt: 0 } as unknown as ToolCall;
  const answer = waitForExit(slow as Sandbox, previewExec("true", "p", 1), call);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await answer).toEqual({ result: unavailable, notice: null });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(said).toEqual(
    Array.from({ length: Math.floor(5_000 / limits.progressStartingMs) }, () => "Starting a machine"),
  );
});
