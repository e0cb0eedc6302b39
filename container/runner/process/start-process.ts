// Starts one command in a session of its own, on real pipes.

import { type ChildProcess, spawn } from "node:child_process";
import { hash } from "node:crypto";
import { closeSync } from "node:fs";
import { join } from "node:path";
import { type ExecRequest, repeatKey } from "../../../src/contract/exec.ts";
import { limits } from "../../../src/contract/limits.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { errorCode } from "../file/error-code.ts";
import { Notifier } from "../notifier.ts";
import { OutputStream } from "../output/output-stream.ts";
import type { RunnerContext } from "../runner-context.ts";
import { checkStart } from "./check-start.ts";
import { buildEnvironment } from "./environment.ts";
import { closePipe, type Pipe } from "./pipe-pool.ts";
import { Process } from "./process.ts";
import { descriptorFailure, FREE_RESOURCES, resourceFailure } from "./resource-failure.ts";
import { closeStdin, EMPTY_STDIN, openStdin, type StdinDescriptors, textStdin } from "./stdin.ts";
import { StdinWriter } from "./stdin-writer.ts";
import { superviseProcess } from "./supervise-process.ts";
import { type Invocation, onPipes, onTerminal, withStart } from "./terminal.ts";

export async function startProcess(request: ExecRequest, context: RunnerContext): Promise<Result<Process>> {
  const cwd = checkStart(request, context.workspace);
  if (!cwd.ok) return cwd;
  const pipes = await openPipes(request, context);
  if (!pipes.ok) return pipes;
  const oomKills = context.oomKills.count();
  const tag = context.tags.allocate(context.registry.tags());
  const marker = `${context.bootId}/${request.process_id}`;
  const child = await context.tags.spawnWith(tag, () =>
    spawnCommand(invocation(request, marker, context), { cwd: cwd.value, pipes: pipes.value, context }),
  );
  if (!child.ok) {
    closeAll(pipes.value);
    return child;
  }
  const { pid } = child.value;
  const process = createProcess(request, context, pipes.value, { tag, marker, leader: pid, oomKills });
  superviseProcess(process, child.value.child, request, context);
  return succeed(process);
}

/** Equal for requests that repeat each other; tells a repeated request from another one with the same id. */
export const fingerprint = (request: ExecRequest): string => hash("sha256", repeatKey(request));

interface Pipes {
  stdout: Pipe;
  stderr: Pipe;
  stdin: StdinDescriptors;
}

async function openPipes(request: ExecRequest, context: RunnerContext): Promise<Result<Pipes>> {
  const subject = "Creating pipes for the command";
  const taken: Pipe[] = [];
  try {
    const stdout = await take(context.pipes, taken);
    const stderr = await take(context.pipes, taken);
    const failure = descriptorFailure(subject, Math.max(stdout.write, stderr.write), context);
    if (failure === null) return succeed({ stdout, stderr, stdin: await stdinOf(request) });
    for (const pipe of taken) closePipe(pipe);
    return fail(failure);
  } catch (error) {
    for (const pipe of taken) closePipe(pipe);
    return fail(
      resourceFailure(subject, error, context) ?? {
        ...{ reason: "refused", subject },
        message: `${messageOf(error)}. ${FREE_RESOURCES}`,
      },
    );
  }
}

async function stdinOf({ stdin, stdin_open }: ExecRequest): Promise<StdinDescriptors> {
  if (stdin_open) return openStdin();
  return stdin === null || stdin === "" ? EMPTY_STDIN : textStdin(stdin);
}

async function take(pool: RunnerContext["pipes"], taken: Pipe[]): Promise<Pipe> {
  const pipe = await pool.take();
  taken.push(pipe);
  return pipe;
}

function invocation(request: ExecRequest, marker: string, context: RunnerContext): Invocation {
  const environment = buildEnvironment(
    { marker, terminal: request.pty !== null, requested: { ...request.sandbox_env, ...request.env } },
    context,
  );
  const invocation =
    request.pty === null
      ? onPipes(request.command, environment)
      : onTerminal(request.command, request.pty, environment);
  return context.commandStart === null ? invocation : withStart(invocation, context.commandStart);
}

interface SpawnedCommand {
  child: ChildProcess;
  pid: number;
}

/** Spawns synchronously; only a failure may take longer to be known. */
function spawnCommand(
  { file, args, environment }: Invocation,
  { cwd, pipes, context }: { cwd: string; pipes: Pipes; context: RunnerContext },
): Result<SpawnedCommand> | Promise<Result<SpawnedCommand>> {
  try {
    const child = spawn(file, args, {
      argv0: file.slice(file.lastIndexOf("/") + 1),
      cwd,
      env: environment,
      detached: true,
      stdio: [pipes.stdin.read ?? "ignore", pipes.stdout.write, pipes.stderr.write],
    });
    if (child.pid !== undefined) return succeed({ child, pid: child.pid });
    return new Promise((resolve) => child.once("error", (error) => resolve(spawnFailure(file, error, context))));
  } catch (error) {
    return spawnFailure(file, error, context);
  }
}

function spawnFailure(file: string, error: unknown, context: RunnerContext): Result<never> {
  const subject = `Starting ${file}`;
  const advice = errorCode(error) === "ENOENT" ? "Install it in the machine, then try again." : FREE_RESOURCES;
  return fail(
    resourceFailure(subject, error, context) ?? {
      ...{ reason: "refused", subject },
      message: `${messageOf(error)}. ${advice}`,
    },
  );
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface ProcessIdentity {
  tag: number;
  marker: string;
  leader: number;
  oomKills: number;
}

/** Makes streams of the runner's ends of the pipes, and closes the child's ends, so that only the child keeps them open. */
function createProcess(request: ExecRequest, context: RunnerContext, pipes: Pipes, identity: ProcessIdentity): Process {
  closeSync(pipes.stdout.write);
  closeSync(pipes.stderr.write);
  if (pipes.stdin.read !== null) closeSync(pipes.stdin.read);
  const outputChanged = new Notifier();
  const stream = (pipe: Pipe, name: string): OutputStream =>
    new OutputStream({
      fd: pipe.read,
      logPath: join(context.logDirectory, `${request.process_id}.${name}.log`),
      capture: { headBytes: limits.captureHeadBytes, tailBytes: limits.captureTailBytes },
      log: { maxBytes: limits.logMaxBytes, pendingBytes: limits.logPendingBytes, stallMs: limits.logStallMs },
      notifier: outputChanged,
    });
  return new Process({
    id: request.process_id,
    command: request.command,
    fingerprint: fingerprint(request),
    origin: { ...identity, pipes: new Set([pipes.stdout.identity, pipes.stderr.identity]) },
    wrapper: request.pty === null ? null : identity.leader,
    stdout: stream(pipes.stdout, "stdout"),
    stderr: stream(pipes.stderr, "stderr"),
    stdin: pipes.stdin.write === null ? null : writeInitialInput(new StdinWriter(pipes.stdin.write), request.stdin),
    outputChanged,
    oomKills: identity.oomKills,
    timeoutMs: request.timeout_ms,
  });
}

/** Queues the request's own input before any that follows. The command may read it as slowly as it likes. */
function writeInitialInput(writer: StdinWriter, stdin: string | null): StdinWriter {
  if (stdin !== null) void writer.write(stdin, limits.writeWaitMs);
  return writer;
}

function closeAll({ stdout, stderr, stdin }: Pipes): void {
  closePipe(stdout);
  closePipe(stderr);
  closeStdin(stdin);
}
