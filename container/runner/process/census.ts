// Finds every living process that a command started, even one that tried to detach: by the marker and the tag that it
// inherited, by its parent, by its session, and by the output pipes that it holds.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { processIds } from "../../proc/proc-file.ts";
import { hasEnded, type ProcessStat, processKey, readStat } from "../../proc/process-stat.ts";
import { tagOf } from "./origin-tag.ts";

/** What identifies the processes of one command. */
export interface Origin {
  tag: number;
  /** The value of the variable MARKER in the environment. */
  marker: string;
  /** The process that was started, which is also the id of its session. */
  leader: number;
  /** Identities of the command's output pipes, while they are open. */
  pipes: ReadonlySet<string>;
}

/** A variable in the environment of everything that a command starts. */
export const MARKER = "SANDBOX_PROCESS";

/** Living processes, without zombies. */
export interface Scan<Key> {
  owned: Map<Key, ProcessStat[]>;
  /**
   * What has removed every mark of the command that started it: no origin has it, and its parent has ended. Empty where the
   * runner is not itself a child of process 1, as it is in a machine.
   */
  strays: ProcessStat[];
}

export class Census {
  readonly #runnerSession = readStat(process.pid)?.session ?? 0;
  readonly #isInMachine = process.ppid === 1;
  /** Keys of processes that belong to no command. They never will, so their marks are not read again. */
  #unrelated = new Set<string>();

  /** `origins` must include every origin that may have any. */
  scan<Key extends Origin>(origins: Iterable<Key>): Scan<Key> {
    const all = [...origins];
    const stats = livingProcesses(0);
    const found = this.#find(all, stats);
    this.#rememberUnrelated(stats, found.owned);
    return found;
  }

  /** The same for one origin whose processes all have ids above its leader's. Those of others are strays here. */
  scanNewer<Key extends Origin>(origin: Key): Scan<Key> {
    return this.#find([origin], livingProcesses(origin.leader));
  }

  #find<Key extends Origin>(all: Key[], stats: Map<number, ProcessStat>): Scan<Key> {
    const owners = this.#ownersByMark(all, stats);
    propagateOwnership(owners, stats, all, this.#runnerSession);
    const found = new Map<Key, ProcessStat[]>(all.map((origin) => [origin, []]));
    for (const [pid, owner] of owners) {
      const stat = stats.get(pid);
      if (stat !== undefined) found.get(owner)?.push(stat);
    }
    return { owned: found, strays: this.#isInMachine ? findStrays(owners, stats) : [] };
  }

  #ownersByMark<Key extends Origin>(origins: Key[], stats: Map<number, ProcessStat>): Map<number, Key> {
    const marks: Marks<Key> = {
      byMarker: new Map(origins.map((origin) => [origin.marker, origin])),
      byTag: new Map(origins.map((origin) => [origin.tag, origin])),
      byPipe: new Map(origins.flatMap((origin) => [...origin.pipes].map((pipe) => [pipe, origin]))),
    };
    const owners = new Map<number, Key>();
    for (const stat of stats.values()) {
      if (this.#unrelated.has(processKey(stat))) continue;
      const owner = ownerByMark(stat.pid, marks);
      if (owner !== undefined) owners.set(stat.pid, owner);
    }
    return owners;
  }

  #rememberUnrelated<Key>(stats: Map<number, ProcessStat>, found: Map<Key, ProcessStat[]>): void {
    const unrelated = new Set([...stats.values()].map(processKey));
    for (const owned of found.values()) for (const stat of owned) unrelated.delete(processKey(stat));
    this.#unrelated = unrelated;
  }
}

/** Processes with ids above `after`, except for the runner itself and the first process, which belong to no command. */
function livingProcesses(after: number): Map<number, ProcessStat> {
  const stats = new Map<number, ProcessStat>();
  for (const pid of processIds()) {
    const stat = pid <= after || pid === 1 || pid === process.pid ? null : readStat(pid);
    if (stat !== null && !hasEnded(stat)) stats.set(pid, stat);
  }
  return stats;
}

interface Marks<Key> {
  byMarker: Map<string, Key>;
  byTag: Map<number, Key>;
  byPipe: Map<string, Key>;
}

/** The tag and the pipes of a process with an unknown marker do not count: it may belong to another runner. */
function ownerByMark<Key>(pid: number, { byMarker, byTag, byPipe }: Marks<Key>): Key | undefined {
  const marker = markerOf(pid);
  if (marker !== null) return byMarker.get(marker);
  const owner = byTag.get(tagOf(pid) ?? NaN);
  return owner === undefined && byPipe.size > 0 ? ownerByPipe(pid, byPipe) : owner;
}

function markerOf(pid: number): string | null {
  let environment: string;
  try {
    environment = readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return null;
  }
  const name = `${MARKER}=`;
  const variable = environment.split("\0").find((entry) => entry.startsWith(name));
  return variable === undefined ? null : variable.slice(name.length);
}

function ownerByPipe<Key>(pid: number, byPipe: Map<string, Key>): Key | undefined {
  const directory = `/proc/${pid}/fd`;
  let descriptors: string[];
  try {
    descriptors = readdirSync(directory);
  } catch {
    return undefined;
  }
  for (const descriptor of descriptors) {
    const owner = byPipe.get(fileIdentity(`${directory}/${descriptor}`));
    if (owner !== undefined) return owner;
  }
  return undefined;
}

/** "device:inode", as in Pipe.identity. */
function fileIdentity(path: string): string {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return "";
  }
}

/** Gives children to their parent's owner, and whole sessions to one owner, until nothing changes any more. */
function propagateOwnership<Key extends Origin>(
  owners: Map<number, Key>,
  stats: Map<number, ProcessStat>,
  origins: Key[],
  runnerSession: number,
): void {
  const sessions = sessionsOfEndedLeaders(origins, stats);
  for (let changed = true; changed; ) {
    changed = false;
    for (const [pid, owner] of owners) {
      const session = stats.get(pid)?.session ?? 0;
      if (session !== 0 && session !== runnerSession && !sessions.has(session)) sessions.set(session, owner);
    }
    for (const stat of stats.values()) {
      if (owners.has(stat.pid)) continue;
      const owner = owners.get(stat.parent) ?? sessions.get(stat.session);
      if (owner === undefined) continue;
      owners.set(stat.pid, owner);
      changed = true;
    }
  }
}

/** The runner's own children are none: their parent is the runner. */
function findStrays(owners: ReadonlyMap<number, unknown>, stats: Map<number, ProcessStat>): ProcessStat[] {
  const isStray = (stat: ProcessStat): boolean => {
    if (owners.has(stat.pid)) return false;
    const parent = stats.get(stat.parent);
    return stat.parent === 1 || (parent !== undefined && isStray(parent));
  };
  return [...stats.values()].filter(isStray);
}

/** A session keeps its id reserved after its leader has ended. An id that is in use as a process id is another session's. */
function sessionsOfEndedLeaders<Key extends Origin>(origins: Key[], stats: Map<number, ProcessStat>): Map<number, Key> {
  const sessions = new Map<number, Key>();
  for (const origin of origins) if (!stats.has(origin.leader)) sessions.set(origin.leader, origin);
  return sessions;
}
