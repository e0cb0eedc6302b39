// The runner in a real machine, where it has fewer privileges than on the host of its own tests: it still finds everything
// that a command started.

import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleRunner } from "../../../container/runner/bundle.ts";
import type { ExecRequest } from "../../../src/contract/exec.ts";
import { type OperationName, operations, type RequestOf, type ValueOf } from "../../../src/contract/operation.ts";
import { type Result, resultOf } from "../../../src/contract/result.ts";
import { escapes, servers } from "../../runner/process/escapes.ts";
import { eventually, newId, parseAs, plain, sleepers, unwrap } from "../../runner/runner-under-test.ts";
import { type EngineUnderTest, removeHomes, startEngine, users } from "../engine-under-test.ts";

const directory = mkdtempSync("/tmp/engine-runner-");
const runner = join(directory, "runner.mjs");
await bundleRunner(runner);
chmodSync(directory, 0o755);
/** The limit of a machine, which its own few processes count towards. */
const PROCESSES = 200;
afterAll(() => {
  removeHomes();
  rmSync(directory, { recursive: true, force: true });
});

describe.each(users)("the runner in a machine of an engine run by %s", (user) => {
  let engine: EngineUnderTest;
  beforeAll(async () => {
    engine = await startEngine({ user, runner, environment: { SANDBOX_MCP_PIDS: String(PROCESSES) } });
    await engine.startMachine("a");
  });
  afterAll(() => engine.close());

  async function ask<Name extends OperationName>(
    machine: string,
    name: Name,
    body: RequestOf<Name>,
  ): Promise<Result<ValueOf<Name>>> {
    const socket = await engine.connect(machine, 39_100);
    if (socket === undefined) throw new Error("The runner's port does not answer");
    const text = await new Promise<string>((resolve, reject) => {
      const sent = request(
        { createConnection: () => socket, method: "POST", path: `/v1/${name}` },
        async (response) => {
          resolve((await response.toArray()).join(""));
          socket.destroy();
        },
      );
      sent.once("error", reject).end(JSON.stringify(body));
    });
    return parseAs(resultOf(operations[name].value), JSON.parse(text));
  }
  const call = async <Name extends OperationName>(name: Name, body: RequestOf<Name>) =>
    unwrap(await ask("a", name, body));
  const exec = (command: string, options: Partial<ExecRequest> = {}) => call("exec", { ...plain(command), ...options });

  it.each(escapes("8001"))("ends all of a command at its deadline when $when", async ({ command }) => {
    const value = await exec(`echo before; ${command}`, { timeout_ms: 300 });
    expect([value.timed_out, value.killed_by, value.left_running]).toEqual([true, "timeout", 0]);
    expect(sleepers("8001")).toEqual([]);
  });

  it.each(servers("8002"))(
    "reports what a command left running, and ends it when asked, when $when",
    async ({ command }) => {
      const process_id = newId();
      const value = await exec(command, { process_id });
      expect([value.status, value.left_running > 0]).toEqual(["exited", true]);
      // One of the commands keeps starting others.
      await eventually(async () => (await call("info", {})).live_processes === value.left_running);
      const signal = { process_id, signal: "KILL", killed_by: "process_signal", then_kill: false } as const;
      expect((await call("process-signal", signal)).process.left_running).toBe(0);
      await eventually(() => sleepers("8002").length === 0);
    },
  );

  it("ends a daemon of a command after other commands have been started", async () => {
    const process_id = newId();
    await exec("env -i setsid -f sleep 8003 </dev/null >/dev/null 2>&1; sleep 8003", { process_id, wait_ms: 0 });
    await eventually(() => sleepers("8003").length === 2);
    for (let n = 0; n < 20; n++) expect((await exec("env -i true; true")).left_running).toBe(0);
    const signal = { process_id, signal: "KILL", killed_by: "cancel", then_kill: false } as const;
    expect((await call("process-signal", signal)).signalled).toBe(2);
    expect(sleepers("8003")).toEqual([]);
  });

  it("survives a fork bomb that is its first command, and ends it when asked", async () => {
    await engine.startMachine("b");
    const process_id = newId();
    const bomb = "f() { f | f & }; f >/dev/null 2>&1; while :; do sleep 0.01; done";
    unwrap(await ask("b", "exec", { ...plain(bomb), process_id, wait_ms: 0 }));
    await eventually(async () => !(await ask("b", "exec", plain("true"))).ok);
    expect(unwrap(await ask("b", "file-stat", { path: "/etc" })).kind).toBe("directory");
    const signal = { process_id, signal: "KILL", killed_by: "process_signal", then_kill: true } as const;
    unwrap(await ask("b", "process-signal", signal));
    await eventually(async () => unwrap(await ask("b", "info", {})).live_processes === 0);
    expect(unwrap(await ask("b", "exec", plain("echo fine"))).stdout.text).toBe("fine\n");
  });

  it("is killed after its commands when memory runs out", async () => {
    const own = readFileSync("/proc/self/oom_score_adj", "utf8").trim();
    // The runner raises its own score while it starts the command, and may lower it a moment after the command has begun.
    const taken = `until [ "$(cat /proc/$PPID/oom_score_adj)" = ${own} ]; do sleep 0.01; done`;
    const score = await exec(`cat /proc/self/oom_score_adj; ${taken}`, { timeout_ms: 10_000 });
    expect(score.exit_code).toBe(0);
    const command = Number(score.stdout.text);
    expect(command).toBeGreaterThanOrEqual(500);
    expect(command).toBeLessThan(628);
  });
});
