// One server for one state directory: two would write the same databases.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readStat } from "../proc/process-stat.ts";
import { UserError } from "./user-error.ts";

export interface Lock {
  /** An earlier server was ended without a chance to tidy up. */
  wasStale: boolean;
  release(): void;
}

/** `where` is the address that a second start is told about. */
export function takeLock(stateDir: string, where: string): Lock {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const file = join(stateDir, "lock");
  const [pid, started, address] = readLines(file);
  if (pid !== undefined && pid !== String(process.pid) && isAlive(Number(pid)) && startTime(Number(pid)) === started) {
    throw new UserError(`This project already serves ${address} (process ${pid}); use that one, or end it first.`);
  }
  writeFileSync(file, `${process.pid}\n${startTime("self")}\n${where}\n`, { mode: 0o600 });
  return { wasStale: pid !== undefined, release: () => rmSync(file, { force: true }) };
}

function readLines(file: string): (string | undefined)[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch {
    // No lock: nobody has it.
    return [];
  }
}

/** Tells a process from a later one with the same id; "" where there is no /proc, so that only the id counts there. */
const startTime = (pid: number | "self"): string => readStat(pid)?.startTime ?? "";

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, as somebody else's.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
