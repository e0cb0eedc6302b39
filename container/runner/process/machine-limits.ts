// Says which limit of the machine its commands have reached, who holds most of what is limited, and how to end that. It reads
// /proc for every process, so it is for commands that failed or are waiting, not for those that succeed.

import { readProcFile } from "../../proc/proc-file.ts";
import { hasEnded, type ProcessStat } from "../../proc/process-stat.ts";
import { errorCode } from "../file/error-code.ts";
import type { RunnerContext } from "../runner-context.ts";
import { memoryUse } from "./memory-use.ts";
import type { Process } from "./process.ts";

/** From this part of a limit on, a command may have failed because of it. */
const NEAR = 0.95;

/** Sentences; null where no limit is near. `oomKills` is how many processes the kernel has killed since the command started. */
export function describeLimits(context: RunnerContext, oomKills: number): string | null {
  try {
    const sentences = [...describeProcesses(context), ...describeMemory(context, oomKills)];
    return sentences.length === 0 ? null : sentences.join(" ");
  } catch (error) {
    // Without a free descriptor there is no looking into /proc.
    if (errorCode(error) === null) throw error;
    return null;
  }
}

function describeProcesses({ registry, commandProcesses }: RunnerContext): string[] {
  const limit = commandProcesses ?? groupLimit();
  if (limit === null) return [];
  const { owned, all } = registry.everyProcess();
  const used = all.reduce((sum, stat) => sum + stat.threads, 0);
  if (used < limit * NEAR) return [];
  const zombies = zombiesOf(owned, all);
  const holders = holdersOf(owned, (process, stats) => sumThreads(stats) + (zombies.get(process) ?? 0));
  const parts = holders.map(({ process, amount }) => `${count(amount)} of them belong to ${nameOf(process)}`);
  return [
    `The machine is at its limit of ${count(limit)} processes and threads${parts.length === 0 ? "" : `: ${parts.join(", ")}`}.`,
    ...adviseEnding(holders),
  ];
}

function describeMemory({ registry, memoryFiles }: RunnerContext, oomKills: number): string[] {
  const use = memoryUse(memoryFiles);
  if (use === null || (use.used < use.limit * NEAR && oomKills === 0)) return [];
  const { owned } = registry.everyProcess();
  const holders = holdersOf(owned, (_, stats) => stats.reduce((sum, { pid }) => sum + residentBytes(pid), 0));
  const large = holders.filter(({ amount }) => amount > use.limit / 20);
  const parts = large.map(({ process, amount }) => `${mebibytes(amount)} by ${nameOf(process)}`);
  if (use.files > use.limit / 20) parts.push(`${mebibytes(use.files)} by files in /dev/shm, which rm frees`);
  const killed =
    oomKills === 0
      ? []
      : [`The kernel has ended ${count(oomKills)} of them for lack of memory since this one started.`];
  return [
    `The commands of this machine use ${mebibytes(use.used)} of their ${mebibytes(use.limit)} of memory${parts.length === 0 ? "" : `: ${parts.join(", ")}`}.`,
    ...killed,
    ...adviseEnding(large),
  ];
}

interface Holder {
  process: Process;
  amount: number;
}

/** The largest of them. */
const HOLDERS_SHOWN = 3;

function holdersOf(
  owned: Map<Process, ProcessStat[]>,
  measure: (process: Process, stats: ProcessStat[]) => number,
): Holder[] {
  return [...owned]
    .map(([process, stats]) => ({ process, amount: measure(process, stats) }))
    .filter(({ amount }) => amount > 0)
    .sort((a, b) => b.amount - a.amount)
    .slice(0, HOLDERS_SHOWN);
}

function adviseEnding([largest]: Holder[]): string[] {
  if (largest === undefined)
    return ['Stop the sandbox if it cannot be used: sandbox {action: "stop"} keeps the files.'];
  return [
    `To end all of ${largest.process.id}: process {action: "signal", process_id: "${largest.process.id}", signal: "KILL"}.`,
  ];
}

/** A zombie counts until its parent has asked how it ended. */
function zombiesOf(owned: Map<Process, ProcessStat[]>, all: ProcessStat[]): Map<Process, number> {
  const ownerOf = new Map([...owned].flatMap(([process, stats]) => stats.map((stat) => [stat.pid, process] as const)));
  const counts = new Map<Process, number>();
  for (const stat of all.filter(hasEnded)) {
    const owner = ownerOf.get(stat.parent);
    if (owner !== undefined) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  }
  return counts;
}

const sumThreads = (stats: ProcessStat[]): number => stats.reduce((sum, stat) => sum + stat.threads, 0);

/** The limit of the control group that the machine is in, where it can be read. */
function groupLimit(): number | null {
  const text = readProcFile("/sys/fs/cgroup/pids.max") ?? readProcFile("/sys/fs/cgroup/pids/pids.max") ?? "max";
  const limit = Number(text);
  return Number.isSafeInteger(limit) && limit > 0 ? limit : null;
}

/** What only this process holds: its own memory, and what it shares with others without a file. */
function residentBytes(pid: number): number {
  const status = readProcFile(`/proc/${pid}/status`) ?? "";
  return [...status.matchAll(/^(?:RssAnon|RssShmem):\s+(\d+) kB$/gm)].reduce(
    (sum, [, kB]) => sum + Number(kB) * 1024,
    0,
  );
}

const COMMAND_CHARS = 60;

function nameOf({ id, command }: Process): string {
  const line = command.replace(/\s+/g, " ").trim();
  return `${id} (\`${line.length > COMMAND_CHARS ? `${line.slice(0, COMMAND_CHARS)}…` : line}\`)`;
}

const count = (value: number): string => value.toLocaleString("en-US");
const mebibytes = (bytes: number): string => `${count(Math.round(bytes / 1024 / 1024))} MiB`;
