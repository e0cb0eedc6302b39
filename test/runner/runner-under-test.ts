// A real runner as a child process with temporary directories, and a client that parses every answer with the contract.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type * as z from "zod";
import type { ExecRequest } from "../../src/contract/exec.ts";
import type { Failure } from "../../src/contract/failure.ts";
import { type OperationName, operations, type RequestOf, type ValueOf } from "../../src/contract/operation.ts";
import type { ProcessReadRequest } from "../../src/contract/process-read.ts";
import type { Result } from "../../src/contract/result.ts";
import { resultOf } from "../../src/contract/result.ts";
import { endWithTests } from "../end-with-tests.ts";
import { freePort } from "../free-port.ts";

const MAIN = fileURLToPath(new URL("../../container/runner/main.ts", import.meta.url));

export interface RunnerUnderTest {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly url: string;
  readonly workspace: string;
  readonly logs: string;
  call<Name extends OperationName>(name: Name, request: RequestOf<Name>): Promise<Result<ValueOf<Name>>>;
  /** Runs a command with default options, unless `options` overrides them. */
  exec(command: string, options?: Partial<ExecRequest>): Promise<ValueOf<"exec">>;
  execFailure(command: string, options?: Partial<ExecRequest>): Promise<Failure>;
  read(id: string, options?: Partial<ProcessReadRequest>): Promise<ValueOf<"process-read">>;
  write(id: string, data: string, eof?: boolean): Promise<Result<ValueOf<"process-write">>>;
  stop(): Promise<void>;
}

export interface StartOptions {
  env?: Record<string, string>;
  /** Changes the program and arguments with which the runner is started. */
  wrap?: (line: string[]) => string[];
}

let made = 0;

export async function startRunner({ env = {}, wrap = (line) => line }: StartOptions = {}): Promise<RunnerUnderTest> {
  const root = mkdtempSync(join(tmpdir(), "runner-test-"));
  const port = await freePort();
  const [file = "", ...args] = wrap([process.execPath, MAIN]);
  const child = spawn(file, args, {
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      PATH: process.env["PATH"],
      RUNNER_PORT: String(port),
      RUNNER_WORKSPACE: root,
      RUNNER_HOME: root,
      RUNNER_LOG_DIRECTORY: join(root, "log"),
      SECRET_OF_THE_RUNNER: "secret",
      ...env,
    },
  });
  endWithTests(child);
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => (await fetch(`${url}/health`).catch(() => null))?.status === 200);
  return clientOf(child, url, root);
}

function clientOf(child: ChildProcess, url: string, root: string): RunnerUnderTest {
  const call: RunnerUnderTest["call"] = async (name, request) => {
    const schema = resultOf(operations[name].value);
    // The schema is that of `name`, which the type of the table does not tell.
    return parseAs(schema, await post(url, name, request));
  };
  const exec = (command: string, options: Partial<ExecRequest> = {}): Promise<Result<ValueOf<"exec">>> =>
    call("exec", { ...plain(command), ...options });
  return {
    child,
    pid: child.pid ?? 0,
    url,
    workspace: root,
    logs: join(root, "log"),
    call,
    exec: async (command, options) => unwrap(await exec(command, options)),
    execFailure: async (command, options) => failureOf(await exec(command, options)),
    read: async (id, options = {}) =>
      unwrap(
        await call("process-read", {
          process_id: id,
          stdout_offset: null,
          stderr_offset: null,
          until: null,
          wait_ms: 10_000,
          stream_chars: 16_000,
          ...options,
        }),
      ),
    write: (id, data, eof = false) => call("process-write", { process_id: id, data, eof }),
    stop: async () => {
      child.kill("SIGTERM");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** A process id that has not been used. */
export const newId = (): string => `t${process.pid}-${made++}`;

export const plain = (command: string): ExecRequest => ({
  process_id: newId(),
  repeatable: true,
  command,
  cwd: ".",
  env: {},
  stdin: null,
  stdin_open: false,
  timeout_ms: null,
  wait_ms: 20_000,
  start_wait_ms: 0,
  pty: null,
  stream_chars: 16_000,
});

export async function post(url: string, name: string, body: unknown): Promise<unknown> {
  const response = await fetch(`${url}/v1/${name}`, { method: "POST", body: JSON.stringify(body) });
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  return response.json();
}

export function parseAs<Value>(schema: z.ZodType, value: unknown): Value;
export function parseAs(schema: z.ZodType, value: unknown): unknown {
  return schema.parse(value);
}

export function unwrap<Value>(result: Result<Value>): Value {
  if (!result.ok) throw new Error(`failed: ${JSON.stringify(result.failure)}`);
  return result.value;
}

export function failureOf(result: Result<unknown>): Failure {
  if (result.ok) throw new Error("did not fail");
  return result.failure;
}

/** Waits until the condition holds. */
export async function eventually(condition: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`condition not met within ${withinMs} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The ids of living `sleep` processes of this length, which identifies them. Zombies have no arguments. */
export function sleepers(length: string): number[] {
  return readdirSync("/proc")
    .filter(
      (name) =>
        /^\d+$/.test(name) &&
        /^(.*\/)?sleep\0/.test(argumentsOf(name)) &&
        argumentsOf(name).split("\0").includes(length),
    )
    .map(Number);
}

function argumentsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

/** Resident memory in MiB. */
export function residentMiB(pid: number): number {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(match?.[1]) / 1024;
}

export const openDescriptors = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;
