// A child that cannot outlive us: it gets a process group of its own, and a guard that ends the group when our end of a pipe
// closes, which the kernel does whatever ends us, SIGKILL included.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { processIds } from "../proc/proc-file.ts";
import { hasEnded, readStat } from "../proc/process-stat.ts";
import { UserError } from "./user-error.ts";

export interface GuardedProcess {
  readonly pid: number;
  /** Resolves with the first line on stdout that is `ready`; rejects when the process ends before. */
  ready: Promise<void>;
  /** Resolves when the process has ended. */
  ended: Promise<void>;
  /** Asks with SIGTERM, and ends the whole group with SIGKILL after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

export interface GuardedCommand {
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  /** Every line of stdout and stderr but `ready`. */
  onLine: (line: string) => void;
}

export function startGuarded({ command, args, env, onLine }: GuardedCommand): GuardedProcess {
  const child = spawn(command, args, { detached: true, env, stdio: ["pipe", "pipe", "pipe"] });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} could not be started`);
  const guard = spawn("sh", ["-c", 'read -r _ || kill -s KILL -- "-$0" 2>/dev/null', String(pid)], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.stdin.on("error", () => undefined);
  const ended = once(child, "exit").then(() => {
    // At once: by the time that the guard had done it, the number could be another group's.
    signalGroup(pid, "SIGKILL");
    guard.stdin.end("ended\n");
  });
  const heard = once(child, "close");
  const endedEarly = async (): Promise<never> => {
    await ended;
    await Promise.race([heard, delay(LAST_WORDS_MS)]);
    throw new UserError("It ended early; what is printed above says why.");
  };
  return {
    pid,
    ended,
    ready: Promise.race([firstReady(child, onLine), endedEarly()]),
    stop: (graceMs) => stop(child, pid, ended, graceMs),
  };
}

/** They are on their way when it has ended; whoever it started may keep the pipe open for ever. */
const LAST_WORDS_MS = 500;

function firstReady(child: ChildProcess, onLine: (line: string) => void): Promise<void> {
  return new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on("line", (line) => (line === "ready" ? resolve() : onLine(line)));
    }
  });
}

async function stop(child: ChildProcess, pid: number, ended: Promise<void>, graceMs: number): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill("SIGTERM");
    const timer = setTimeout(() => signalGroup(pid, "SIGKILL"), graceMs);
    await ended;
    clearTimeout(timer);
  }
  for (let tries = 0; tries < 100 && signalGroup(pid, "SIGKILL") && hasLiving(pid); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** False when only dead ones are left: where nothing reaps orphans, they stay in the group for ever. */
function hasLiving(group: number): boolean {
  try {
    return processIds().some((pid) => isLivingOf(group, pid));
  } catch {
    // No /proc on this system.
    return true;
  }
}

function isLivingOf(group: number, pid: number): boolean {
  const stat = readStat(pid);
  return stat !== null && stat.group === group && !hasEnded(stat);
}

/** False when nothing of the group is left. */
function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-pid, signal);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
}
