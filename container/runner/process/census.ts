// Finds every living process that a command started, whatever it did to get away: by the marker and the tag it
// inherited, by descent, by session, and by who holds the command's output pipes.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { processIds } from "../../proc/proc-file.ts";
import { type ProcessStat, readStat } from "../../proc/process-stat.ts";
import { tagOf } from "./origin-tag.ts";

/** What is known of a command before any of its processes is seen. */
export interface Origin {
  tag: number;
  /** The value of MARKER in its environment. */
  marker: string;
  /** The process that was started, and so the id of its session. */
  leader: number;
  /** Identities of its output pipes, while they are open. */
  pipes: ReadonlySet<string>;
}

/** In the environment of everything that a command starts. */
export const MARKER = "SANDBOX_PROCESS";

export class Census {
  readonly #ownSession = readStat(process.pid)?.session ?? 0;
  /** Processes that are nobody's stay so: "pid:start". */
  #strangers = new Set<string>();

  /** The living processes of each origin, zombies left out. `origins` must hold all that may have any. */
  take<Key extends Origin>(origins: Iterable<Key>): Map<Key, ProcessStat[]> {
    const all = [...origins];
    const stats = livingProcesses(0);
    const found = this.#find(all, stats);
    this.#remember(stats, found);
    return found;
  }

  /** The same for one origin of which all processes have ids above its leader's. */
  takeYoung(origin: Origin): ProcessStat[] {
    return this.#find([origin], livingProcesses(origin.leader)).get(origin) ?? [];
  }

  #find<Key extends Origin>(all: Key[], stats: Map<number, ProcessStat>): Map<Key, ProcessStat[]> {
    const owners = this.#ownersByMark(all, stats);
    spread(owners, stats, all, this.#ownSession);
    const found = new Map<Key, ProcessStat[]>(all.map((origin) => [origin, []]));
    for (const [pid, owner] of owners) {
      const stat = stats.get(pid);
      if (stat !== undefined) found.get(owner)?.push(stat);
    }
    return found;
  }

  #ownersByMark<Key extends Origin>(origins: Key[], stats: Map<number, ProcessStat>): Map<number, Key> {
    const marks: Marks<Key> = {
      byMarker: new Map(origins.map((origin) => [origin.marker, origin])),
      byTag: new Map(origins.map((origin) => [origin.tag, origin])),
      byPipe: new Map(origins.flatMap((origin) => [...origin.pipes].map((pipe) => [pipe, origin]))),
    };
    const owners = new Map<number, Key>();
    for (const stat of stats.values()) {
      if (this.#strangers.has(nameOf(stat))) continue;
      const owner = ownerByMark(stat.pid, marks);
      if (owner !== undefined) owners.set(stat.pid, owner);
    }
    return owners;
  }

  #remember<Key>(stats: Map<number, ProcessStat>, found: Map<Key, ProcessStat[]>): void {
    const strangers = new Set([...stats.values()].map(nameOf));
    for (const owned of found.values()) for (const stat of owned) strangers.delete(nameOf(stat));
    this.#strangers = strangers;
  }
}

const nameOf = (stat: ProcessStat): string => `${stat.pid}:${stat.startTime}`;

/** Those with ids above `after`, without the runner itself and the first process, which are never a command's. */
function livingProcesses(after: number): Map<number, ProcessStat> {
  const stats = new Map<number, ProcessStat>();
  for (const pid of processIds()) {
    const stat = pid <= after || pid === 1 || pid === process.pid ? null : readStat(pid);
    if (stat !== null && stat.state !== "Z" && stat.state !== "X") stats.set(pid, stat);
  }
  return stats;
}

interface Marks<Key> {
  byMarker: Map<string, Key>;
  byTag: Map<number, Key>;
  byPipe: Map<string, Key>;
}

/** A process with somebody else's marker is never taken for its tag or the pipes it holds: it may be another runner's. */
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
    const owner = byPipe.get(identityOf(`${directory}/${descriptor}`));
    if (owner !== undefined) return owner;
  }
  return undefined;
}

function identityOf(path: string): string {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return "";
  }
}

/** Children belong to their parent's owner, and a session belongs as a whole, until nothing changes any more. */
function spread<Key extends Origin>(
  owners: Map<number, Key>,
  stats: Map<number, ProcessStat>,
  origins: Key[],
  ownSession: number,
): void {
  const sessions = sessionsOfGoneLeaders(origins, stats);
  for (let changed = true; changed; ) {
    changed = false;
    for (const [pid, owner] of owners) {
      const session = stats.get(pid)?.session ?? 0;
      if (session !== 0 && session !== ownSession && !sessions.has(session)) sessions.set(session, owner);
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

/** A session keeps its id reserved after its leader has gone; an id that is in use as a process is a new one. */
function sessionsOfGoneLeaders<Key extends Origin>(origins: Key[], stats: Map<number, ProcessStat>): Map<number, Key> {
  const sessions = new Map<number, Key>();
  for (const origin of origins) if (!stats.has(origin.leader)) sessions.set(origin.leader, origin);
  return sessions;
}
