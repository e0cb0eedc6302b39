// A client of the real runner in a machine of an engine, as the Worker is one.

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { bundleRunner } from "../../../container/runner/bundle.ts";
import type { ExecRequest } from "../../../src/contract/exec.ts";
import type { Failure } from "../../../src/contract/failure.ts";
import { type OperationName, operations, type RequestOf, type ValueOf } from "../../../src/contract/operation.ts";
import { type Result, resultOf } from "../../../src/contract/result.ts";
import { failureOf, parseAs, plain, unwrap } from "../../runner/runner-under-test.ts";
import type { EngineUnderTest } from "../engine-under-test.ts";

/** The runner's port in every machine. */
const PORT = 39_100;

/** The bundle of the runner, where any user can read it. `remove` is to be called in afterAll. */
export async function bundledRunner(): Promise<{ runner: string; remove(): void }> {
  const directory = mkdtempSync("/tmp/engine-runner-");
  const runner = join(directory, "runner.mjs");
  await bundleRunner(runner);
  chmodSync(directory, 0o755);
  return { runner, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

export interface MachineRunner {
  ask<Name extends OperationName>(name: Name, body: RequestOf<Name>): Promise<Result<ValueOf<Name>>>;
  call<Name extends OperationName>(name: Name, body: RequestOf<Name>): Promise<ValueOf<Name>>;
  /** Runs a command with default options, unless `options` overrides them. */
  exec(command: string, options?: Partial<ExecRequest>): Promise<ValueOf<"exec">>;
  execFailure(command: string, options?: Partial<ExecRequest>): Promise<Failure>;
  kill(process_id: string): Promise<ValueOf<"process-signal">>;
}

export function machineRunner(engine: EngineUnderTest, machine: string): MachineRunner {
  const ask: MachineRunner["ask"] = async (name, body) => {
    const text = await post(engine, machine, name, body);
    return parseAs(resultOf(operations[name].value), JSON.parse(text));
  };
  const call: MachineRunner["call"] = async (name, body) => unwrap(await ask(name, body));
  return {
    ask,
    call,
    exec: (command, options = {}) => call("exec", { ...plain(command), ...options }),
    execFailure: async (command, options = {}) => failureOf(await ask("exec", { ...plain(command), ...options })),
    kill: (process_id) =>
      call("process-signal", { process_id, signal: "KILL", killed_by: "process_signal", then_kill: false }),
  };
}

async function post(engine: EngineUnderTest, machine: string, name: string, body: unknown): Promise<string> {
  const socket = await engine.connect(machine, PORT);
  if (socket === undefined) throw new Error("The runner's port does not answer");
  return new Promise((resolve, reject) => {
    const sent = request({ createConnection: () => socket, method: "POST", path: `/v1/${name}` }, async (response) => {
      resolve((await response.toArray()).join(""));
      socket.destroy();
    });
    sent.once("error", reject).end(JSON.stringify(body));
  });
}
