// The processes of a server and of its machines, as the host sees them.

import { execFileSync } from "node:child_process";
import { type ProcessStat, readStat } from "../../../container/proc/process-stat.ts";
import { containerIds } from "./docker/containers.ts";
import { testEngine } from "./engine.ts";
import { descendants } from "./host.ts";
import type { Server } from "./start-server.ts";

type StartedServer = Pick<Server, "pid" | "stateDir">;

/** What the server has started, and what runs in its machines. */
export const serverProcesses = (server: StartedServer): ProcessStat[] => [
  ...descendants(server.pid),
  ...machineRoots(server).flatMap((pid) => [readStat(pid) ?? [], descendants(pid)].flat()),
];

/** What runs in the machines that are up now, read anew at each call. It is quick, for processes that live for a moment. */
export function watchMachines(server: StartedServer): () => ProcessStat[] {
  const roots = testEngine === "docker" ? machineRoots(server) : [server.pid];
  return () => roots.flatMap(descendants);
}

/** The id of process 1 of the machine in which a process of this name runs. */
export function machineWith(server: StartedServer, name: string): number {
  const all = serverProcesses(server);
  const parentOf = (child: ProcessStat) => all.find(({ pid }) => pid === child.parent);
  const roots = machineRoots(server);
  const isRoot = (each: ProcessStat) => roots.includes(each.pid) || parentOf(each)?.name === "unshare";
  let found = all.find((each) => each.name === name);
  while (found !== undefined && !isRoot(found)) found = parentOf(found);
  if (found === undefined) throw new Error("no machine found");
  return found.pid;
}

/** Process 1 of each machine in Docker, which is no descendant of the server. */
function machineRoots({ stateDir }: StartedServer): number[] {
  const ids = testEngine === "docker" ? containerIds("machine", stateDir) : [];
  if (ids.length === 0) return [];
  const pids = execFileSync("docker", ["inspect", "--format", "{{.State.Pid}}", ...ids]).toString();
  return pids
    .trim()
    .split("\n")
    .map(Number)
    .filter((pid) => pid > 0);
}
