// A machine whose runner has an older contract than this code: it is served until it has nothing to do, then replaced.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { operationPath } from "../../src/contract/operation.ts";
import { Activity } from "../../src/sandbox/machine/activity.ts";
import type { MachinePort } from "../../src/sandbox/machine/machine-platform.ts";
import { SandboxEgress } from "../../src/sandbox/sandbox-egress.ts";
import { SandboxLifecycle } from "../../src/sandbox/sandbox-lifecycle.ts";
import { SandboxOperations } from "../../src/sandbox/sandbox-operations.ts";
import { type RunnerUnderTest, startRunner } from "../runner/runner-under-test.ts";
import { FakePlatform } from "./fake-platform.ts";
import { sandboxUnderTest } from "./sandbox-under-test.ts";

/** Its runner says that its contract is older than this code's. */
class OlderPlatform extends FakePlatform {
  override port(port: number): MachinePort {
    const real = super.port(port);
    return {
      fetch: async (url, init) => {
        const answer = await real.fetch(url, init);
        if (!url.endsWith(operationPath("info"))) return answer;
        return new Response((await answer.text()).replace(/"contract_version":\d+/, '"contract_version":0'));
      },
    };
  }
}

let runner: RunnerUnderTest;
beforeEach(async () => {
  vi.spyOn(console, "error").mockReturnValue();
  runner = await startRunner();
});
afterEach(async () => {
  vi.restoreAllMocks();
  runner.child.kill("SIGKILL");
  await runner.stop();
});

function operationsOn(platform: FakePlatform) {
  const { storage, stores, machine, execs, files, keeper } = sandboxUnderTest({ runner, platform });
  const { settings, notices } = stores;
  const activity = new Activity(platform);
  const lifetime = { sleepAfterMs: 60_000, longestAwakeMs: 600_000 };
  const lifecycle = new SandboxLifecycle({ platform, machine, execs, files, keeper, activity, settings, lifetime });
  const bounds = { ceiling: { preset: "internet" as const, hosts: [] }, default: "packages" as const };
  const identity = { principal: "alice", name: "default" };
  const egress = new SandboxEgress({ sql: storage.sql, identity, settings, bounds });
  return new SandboxOperations({ platform, machine, execs, files, lifecycle, activity, egress, notices });
}

test("an older runner serves calls, and is stopped only when no process of it runs", async () => {
  const platform = new OlderPlatform({ url: runner.url });
  const operations = operationsOn(platform);
  const exec = (process_id: string, command: string, wait_ms: number) =>
    operations.run("exec", {
      ...{ process_id, command, wait_ms, cwd: runner.workspace, repeatable: false, env: {}, stdin: null },
      ...{ stdin_open: false, timeout_ms: 60_000, start_wait_ms: 20_000, pty: null, stream_chars: 1_000 },
    });
  expect(await exec("work", "sleep 100", 0)).toMatchObject({ result: { ok: true, value: { status: "running" } } });
  await platform.settled();
  expect(platform.isRunning).toBe(true);
  expect(await exec("other", "echo served", 20_000)).toMatchObject({
    result: { ok: true, value: { stdout: { text: "served\n" } } },
  });
  await platform.settled();
  expect(platform.log).not.toContain("stop");
  const signal = { process_id: "work", signal: "KILL", killed_by: "process_signal", then_kill: false };
  expect(await operations.run("process-signal", signal)).toMatchObject({ result: { ok: true } });
  await expect
    .poll(async () => {
      await operations.run("process-list", {});
      await platform.settled();
      return platform.log;
    })
    .toContain("stop");
});
