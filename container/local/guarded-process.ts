// A child that cannot outlive this process: it gets a process group of its own, and a guard that ends the group when this process's
// end of a pipe closes, which the kernel does whatever ends this process, SIGKILL included.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { processIds } from "../proc/proc-file.ts";
import { hasEnded, readStat } from "../proc/process-stat.ts";
import { UserError } from "./user-error.ts";

export interface GuardedCommand {
  command: string;
  args: string[];
  cwd?: string;
  env: NodeJS.ProcessEnv;
  /** Receives every line of stdout and stderr, except `ready` where that is waited for. */
  onLine: (line: string) => void;
}

export interface GuardedProcess {
  readonly pid: number;
  /** Resolves with the first line on stdout or stderr that is `ready`; rejects when the process ends before. */
  ready: Promise<void>;
  /** Resolves when the process has ended. */
  ended: Promise<void>;
  /** Sends SIGTERM, and ends the whole group with SIGKILL after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** Starts a process that runs until it is stopped. */
export function startGuarded({ onLine, ...command }: GuardedCommand): GuardedProcess {
  const { child, pid, ended } = spawnGuarded(command);
  const ready = Promise.withResolvers<void>();
  readLines(child, (line) => (line === "ready" ? ready.resolve() : onLine(line)));
  const endedEarly = async (): Promise<never> => {
    await untilRead(child, ended);
    throw new UserError("It ended early; what is printed above says why.");
  };
  return {
    pid,
    ended,
    ready: Promise.race([ready.promise, endedEarly()]),
    stop: (graceMs) => stop(child, pid, ended, graceMs),
  };
}

/** Runs a program to its end, and resolves with its exit code: null when a signal ended it. */
export async function runGuarded({ onLine, ...command }: GuardedCommand): Promise<number | null> {
  const { child, ended } = spawnGuarded(command);
  readLines(child, onLine);
  await untilRead(child, ended);
  return child.exitCode;
}

interface Spawned {
  child: ChildProcess;
  pid: number;
  ended: Promise<void>;
}

function spawnGuarded({ command, args, ...options }: Omit<GuardedCommand, "onLine">): Spawned {
  const child = spawn(command, args, { ...options, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  const { pid } = child;
  if (pid === undefined) {
    child.on("error", () => undefined);
    throw new UserError(`The program ${command} could not be started; install it, or put it on the PATH.`);
  }
  const guard = spawn("sh", ["-c", 'read -r _ || kill -s KILL -- "-$0" 2>/dev/null', String(pid)], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.stdin.on("error", () => undefined);
  const ended = once(child, "exit").then(() => {
    // The group is ended here at once. The guard could be so late that another group has the number by then.
    signalGroup(pid, "SIGKILL");
    guard.stdin.end("ended\n");
  });
  return { child, pid, ended };
}

function readLines(child: ChildProcess, onLine: (line: string) => void): void {
  for (const stream of [child.stdout, child.stderr])
    if (stream !== null) createInterface({ input: stream }).on("line", onLine);
}

/** A descendant that left the group may keep the pipes open for ever. */
const READ_WITHIN_MS = 500;

/** Waits for the end of the process, and for the output that is still on its way then. */
async function untilRead(child: ChildProcess, ended: Promise<void>): Promise<void> {
  const closed = once(child, "close");
  await ended;
  await Promise.race([closed, delay(READ_WITHIN_MS)]);
}

async function stop(child: ChildProcess, pid: number, ended: Promise<void>, graceMs: number): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill("SIGTERM");
    const timer = setTimeout(() => signalGroup(pid, "SIGKILL"), graceMs);
    await ended;
    clearTimeout(timer);
  }
  for (let tries = 0; tries < 100 && signalGroup(pid, "SIGKILL") && hasLivingProcess(pid); tries += 1) await delay(10);
}

/** False when only dead processes remain: where nothing reaps orphans, they stay in the group for ever. */
function hasLivingProcess(group: number): boolean {
  try {
    return processIds().some((pid) => isLivingMember(group, pid));
  } catch {
    // This system has no /proc.
    return true;
  }
}

function isLivingMember(group: number, pid: number): boolean {
  const stat = readStat(pid);
  return stat !== null && stat.group === group && !hasEnded(stat);
}

/** False when the group has no processes. */
function signalGroup(group: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-group, signal);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
}
