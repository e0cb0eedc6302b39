// Allows one server per state directory: two would write the same databases.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
  const [pid, started, otherUrl] = readLines(file);
  if (pid !== undefined && pid !== String(process.pid) && isAlive(Number(pid)) && startTime(Number(pid)) === started) {
    throw new UserError(`This project already serves ${otherUrl} (process ${pid}); use that one, or end it first.`);
  }
  writeFileSync(file, `${process.pid}\n${startTime("self")}\n${url}\n`, { mode: 0o600 });
  return { wasStale: pid !== undefined, release: () => rmSync(file, { force: true }) };
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
