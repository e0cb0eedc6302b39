// Processes, mounts and listening sockets of the host, read from /proc.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { processIds } from "../../../container/proc/proc-file.ts";
import { type ProcessStat, readStat } from "../../../container/proc/process-stat.ts";

const processes = (): ProcessStat[] => processIds().flatMap((pid) => readStat(pid) ?? []);

export function descendants(of: number): ProcessStat[] {
  const all = processes();
  const found: ProcessStat[] = [];
  for (let parents = [of]; parents.length > 0; ) {
    const children = all.filter(({ parent }) => parents.includes(parent));
    found.push(...children);
    parents = children.map(({ pid }) => pid);
  }
  return found;
}

/**
 * The processes that make up a part of a server; `worker` is the one that serves the Worker, and `workerd` its workerd. Those that
 * run isolates are not among them.
 */
export function partsOf(server: number, part: "worker" | "workerd" | "engine" | "machine" | "runner"): number[] {
  const isPart = ({ pid, name }: ProcessStat): boolean => {
    if (part === "engine") return commandLine(pid).includes("container/engine/main.ts");
    if (part === "worker") return commandLine(pid).includes("container/local/serve.ts");
    if (part === "workerd" && commandLine(pid).includes("isolates.capnp")) return false;
    return name === { workerd: "workerd", machine: "unshare", runner: "sandbox-runner" }[part];
  };
  return descendants(server)
    .filter(isPart)
    .map(({ pid }) => pid);
}

/** Arguments end with NUL; "" when the process has ended. */
export function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

export const mounts = (): string[] => readFileSync("/proc/self/mountinfo", "utf8").trimEnd().split("\n");

/** The TCP sockets on which any of the processes listens. An IPv4 address is in decimal parts, such as "127.0.0.1". */
export function listeningSockets(pids: number[]): { address: string; port: number }[] {
  const inodes = new Set(pids.flatMap(socketInodes));
  const rows = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) =>
    readFileSync(file, "utf8").trimEnd().split("\n").slice(1),
  );
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter((fields) => fields[3] === "0A" && inodes.has(fields[9] ?? ""))
    .map((fields) => {
      const [address = "", port = ""] = (fields[1] ?? "").split(":");
      return { address: addressOf(address), port: Number.parseInt(port, 16) };
    });
}

const addressOf = (hex: string): string =>
  hex.length === 8
    ? (hex.match(/../g) ?? [])
        .reverse()
        .map((byte) => Number.parseInt(byte, 16))
        .join(".")
    : hex;

function socketInodes(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map(
      (fd) => /^socket:\[(\d+)\]$/.exec(readLink(`/proc/${pid}/fd/${fd}`))?.[1] ?? "",
    );
  } catch {
    return [];
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** The number of open file descriptors; 0 when the process has ended. */
export function openFiles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** A zombie has ended; its parent has not yet read its exit status. */
export const isAlive = (pid: number): boolean => (readStat(pid)?.state ?? "Z") !== "Z";

/** Returns 0 when the process has ended. */
export function residentBytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
