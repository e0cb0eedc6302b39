// Allows one server per state directory: two would write the same databases.

import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readStat } from "../proc/process-stat.ts";
import { UserError } from "./user-error.ts";

export interface Lock {
  /** An earlier server was ended by force, so its lock was still there. */
  wasStale: boolean;
  release(): void;
}

/** `url` is where this server will answer; a second start names it in its error. */
export function takeLock(stateDir: string, url: string): Lock {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const file = join(stateDir, "lock");
  const own = join(stateDir, `lock-${process.pid}`);
  writeFileSync(own, `${process.pid}\n${startTime("self")}\n${url}\n`, { mode: 0o600 });
  try {
    for (let wasStale = false; ; wasStale = true) {
      if (linkIfAbsent(own, file)) return { wasStale, release: () => rmSync(file, { force: true }) };
      removeStale(file);
    }
  } finally {
    rmSync(own, { force: true });
  }
}

/** False when `file` exists. A link appears with its content, so that no reader sees a partial lock. */
function linkIfAbsent(own: string, file: string): boolean {
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** Throws when the process that holds the lock is running. */
function removeStale(file: string): void {
  refuseIfHeld(readLines(file));
  // Of two servers that start at once, one could remove the lock that the other has just taken. So it is moved first.
  const removed = `${file}-${process.pid}-stale`;
  try {
    renameSync(file, removed);
  } catch {
    // The other has moved it.
    return;
  }
  try {
    refuseIfHeld(readLines(removed));
  } catch (error) {
    linkIfAbsent(removed, file);
    throw error;
  } finally {
    rmSync(removed, { force: true });
  }
}

function refuseIfHeld([pid, started, url]: (string | undefined)[]): void {
  if (pid === undefined || pid === String(process.pid)) return;
  if (isAlive(Number(pid)) && startTime(Number(pid)) === started)
    throw new UserError(`This project already serves ${url} (process ${pid}); use that one, or end it first.`);
}

function readLines(file: string): (string | undefined)[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch {
    // There is no lock file.
    return [];
  }
}

/** Distinguishes a process from a later one with the same id. It is "" where there is no /proc, so only the id counts there. */
const startTime = (pid: number | "self"): string => readStat(pid)?.startTime ?? "";

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
