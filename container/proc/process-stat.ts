// One parser of /proc/<pid>/stat (proc_pid_stat(5)), for the runner, the engine, the local server and the tests.

import { readProcFile } from "./proc-file.ts";

export interface ProcessStat {
  pid: number;
  /** The program's name, cut by the kernel to 15 bytes. */
  name: string;
  /** One letter; Z and X are processes that have ended. */
  state: string;
  parent: number;
  group: number;
  session: number;
  /** User and kernel time used so far, in clock ticks. */
  cpuTicks: number;
  threads: number;
  /** In clock ticks since boot. */
  startTime: string;
}

/** How long the system has run, in the same ticks. USER_HZ is 100 on every architecture that machines run on. */
export const uptimeTicks = (): number => Math.floor(Number(readProcFile("/proc/uptime")?.split(" ")[0]) * 100);

/** Null when there is no such process, or on a system without /proc. */
export function readStat(pid: number | "self"): ProcessStat | null {
  const text = readProcFile(`/proc/${pid}/stat`);
  return text === null ? null : parseStat(text);
}

function parseStat(text: string): ProcessStat | null {
  // The name in parentheses may contain anything, including a parenthesis.
  const nameEnd = text.lastIndexOf(")");
  const fields = text.slice(nameEnd + 2).split(" ", 20);
  const [state, parent, group, session] = fields;
  const startTime = fields[19];
  if (state === undefined || startTime === undefined) return null;
  return {
    pid: Number.parseInt(text, 10),
    name: text.slice(text.indexOf("(") + 1, nameEnd),
    state,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    cpuTicks: Number(fields[11]) + Number(fields[12]),
    threads: Number(fields[17]),
    startTime,
  };
}

/** Identifies a process for as long as the kernel runs: a pid is reused, but not with the same start time. */
export const processKey = ({ pid, startTime }: ProcessStat): string => `${pid}:${startTime}`;

export const hasEnded = ({ state }: ProcessStat): boolean => state === "Z" || state === "X";
