// Starts one command in a session of its own on real pipes, and sees it through to its end.

import { type ChildProcess, spawn } from "node:child_process";
import { hash } from "node:crypto";
import { closeSync } from "node:fs";
import { join } from "node:path";
import { type ExecRequest, repeatKey } from "../../../src/contract/exec.ts";
import { limits } from "../../../src/contract/limits.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { OutputStream } from "../output/output-stream.ts";
import type { Machine } from "../runner-context.ts";
import { checkStart } from "./check-start.ts";
import { type Ending, endEverything } from "./end-process.ts";
import { buildEnvironment } from "./environment.ts";
import { Bell } from "./notifier.ts";
import { closePipe, type Pipe } from "./pipe-pool.ts";
import { Process } from "./process.ts";
import { closeStdin, EMPTY_STDIN, openStdin, type Stdin, textStdin } from "./stdin.ts";
import { Input } from "./stdin-writer.ts";
import { type Invocation, onPipes, onTerminal } from "./terminal.ts";

export async function startProcess(request: ExecRequest, machine: Machine): Promise<Result<Process>> {
  const cwd = checkStart(request, machine.options.workspace);
  if (!cwd.ok) return cwd;
  const pipes = await takePipes(request, machine);
  if (!pipes.ok) return pipes;
  const memoryKills = machine.memoryKills.count();
  const tag = machine.tags.next(machine.registry.tags());
  const marker = `${machine.bootId}/${request.process_id}`;
  const child = await machine.tags.apply(tag, () =>
    launch(invocation(request, marker, machine), cwd.value, pipes.value),
  );
  if (!child.ok) {
    closeAll(pipes.value);
    return child;
  }
  const { pid } = child.value;
  const process = adopt(request, machine, pipes.value, { tag, marker, leader: pid, memoryKills });
  seeThrough(process, child.value.child, request, machine);
  return succeed(process);
}

/** Tells whether a repeat of an id is a repeat of the request. */
export const fingerprint = (request: ExecRequest): string => hash("sha256", repeatKey(request));

interface Pipes {
  stdout: Pipe;
  stderr: Pipe;
  stdin: Stdin;
}

async function takePipes(request: ExecRequest, { pipes }: Machine): Promise<Result<Pipes>> {
  const taken: Pipe[] = [];
  try {
    const stdout = await take(pipes, taken);
    const stderr = await take(pipes, taken);
    return succeed({ stdout, stderr, stdin: await stdinOf(request) });
  } catch (error) {
    for (const pipe of taken) closePipe(pipe);
    return fail({ reason: "refused", subject: "Making the command's pipes", message: wordsOf(error) });
  }
}

async function stdinOf({ stdin, stdin_open }: ExecRequest): Promise<Stdin> {
  if (stdin_open) return openStdin();
  return stdin === null || stdin === "" ? EMPTY_STDIN : textStdin(stdin);
}

async function take(pool: Machine["pipes"], taken: Pipe[]): Promise<Pipe> {
  const pipe = await pool.take();
  taken.push(pipe);
  return pipe;
}

function invocation(request: ExecRequest, marker: string, { options }: Machine): Invocation {
  const environment = buildEnvironment(
    { marker, terminal: request.pty !== null, requested: { ...request.sandbox_env, ...request.env } },
    options,
  );
  return request.pty === null
    ? onPipes(request.command, environment)
    : onTerminal(request.command, request.pty, environment);
}

interface Launched {
  child: ChildProcess;
  pid: number;
}

/** Spawns before it returns; what it returns tells whether that went well. */
function launch(how: Invocation, cwd: string, pipes: Pipes): Result<Launched> | Promise<Result<Launched>> {
  try {
    const child = spawn(how.file, how.args, {
      argv0: how.file.slice(how.file.lastIndexOf("/") + 1),
      cwd,
      env: how.environment,
      detached: true,
      stdio: [pipes.stdin.read ?? "ignore", pipes.stdout.write, pipes.stderr.write],
    });
    if (child.pid !== undefined) return succeed({ child, pid: child.pid });
    return new Promise((resolve) => child.once("error", (error) => resolve(spawnFailure(how, error))));
  } catch (error) {
    return spawnFailure(how, error);
  }
}

const spawnFailure = (how: Invocation, error: unknown): Result<never> =>
  fail({ reason: "refused", subject: `Starting ${how.file}`, message: wordsOf(error) });

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface Identity {
  tag: number;
  marker: string;
  leader: number;
  memoryKills: number;
}

/** Our ends of the pipes become streams; the child's ends are closed here, so that it alone decides their end. */
function adopt(request: ExecRequest, machine: Machine, pipes: Pipes, identity: Identity): Process {
  closeSync(pipes.stdout.write);
  closeSync(pipes.stderr.write);
  if (pipes.stdin.read !== null) closeSync(pipes.stdin.read);
  const outputBell = new Bell();
  const stream = (pipe: Pipe, name: string): OutputStream =>
    new OutputStream({
      fd: pipe.read,
      logPath: join(machine.options.logDirectory, `${request.process_id}.${name}.log`),
      capture: { headBytes: limits.captureHeadBytes, tailBytes: limits.captureTailBytes },
      log: { maxBytes: limits.logMaxBytes, pendingBytes: limits.logPendingBytes, stallMs: limits.logStallMs },
      bell: outputBell,
    });
  return new Process({
    id: request.process_id,
    command: request.command,
    fingerprint: fingerprint(request),
    origin: { ...identity, pipes: new Set([pipes.stdout.identity, pipes.stderr.identity]) },
    wrapper: request.pty === null ? null : identity.leader,
    stdout: stream(pipes.stdout, "stdout"),
    stderr: stream(pipes.stderr, "stderr"),
    input: pipes.stdin.write === null ? null : feed(new Input(pipes.stdin.write), request.stdin),
    outputBell,
    memoryKills: identity.memoryKills,
  });
}

/** What was given is written first, however slowly it is read; more may follow. */
function feed(input: Input, stdin: string | null): Input {
  if (stdin !== null) void input.write(stdin, limits.writeWaitMs);
  return input;
}

function seeThrough(process: Process, child: ChildProcess, request: ExecRequest, machine: Machine): void {
  const deadline =
    request.timeout_ms === null ? undefined : setTimeout(() => onDeadline(process, machine), request.timeout_ms);
  // A signal that could not be sent is no news of the command.
  child.on("error", () => undefined);
  child.once("exit", (code, signal) => {
    clearTimeout(deadline);
    process.childExited(code, signal, machine.memoryKills.count());
    void finish(process, machine);
  });
}

function onDeadline(process: Process, machine: Machine): void {
  process.timedOut = true;
  process.killedBy = "timeout";
  void endProcess(process, machine, { first: "SIGTERM", asked: [] });
}

/** Ends everything it started; one ending at a time is enough. */
export function endProcess(
  process: Process,
  { registry }: Machine,
  how: Pick<Ending, "first" | "asked">,
): Promise<void> {
  const look = (): Ending["asked"] => registry.look(process);
  process.ending ??= endEverything({ look, wrapper: process.wrapper, ...how }).finally(() => {
    process.ending = null;
  });
  return process.ending;
}

/** From the end of the direct child to an answer that is complete. */
async function finish(process: Process, machine: Machine): Promise<void> {
  process.input?.destroy();
  // Unless a look tells, something may be left: it is then looked for again.
  let left = 1;
  try {
    await process.drained();
    await process.ending;
    await Promise.all([process.stdout.log.flushed(), process.stderr.log.flushed()]);
    left = machine.registry.lookAtEnd(process);
  } finally {
    // Whatever went wrong, nobody shall wait for ever.
    process.leftRunning = left;
    process.status = "exited";
    process.stateBell.ring();
    process.outputBell.ring();
  }
  await machine.registry.trim();
}

function closeAll({ stdout, stderr, stdin }: Pipes): void {
  closePipe(stdout);
  closePipe(stderr);
  closeStdin(stdin);
}
