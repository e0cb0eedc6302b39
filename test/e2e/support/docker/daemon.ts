// A Docker daemon of the tests' own. Everything that it makes is in one temporary directory, except a network bridge and
// firewall rules, which are put back as they were.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readDocker } from "../../../../container/local/docker-client.ts";
import { mounts } from "../host.ts";

export interface Daemon {
  /** The URL of its socket. */
  socket: string;
  /** Ends its containers too. */
  stop(): Promise<void>;
}

/** Why no daemon can be started here, or null. */
export function daemonObstacle(): string | null {
  if (process.getuid?.() !== 0) return "this is not root.";
  const missing = ["dockerd", "docker", "debootstrap", "iptables"].filter((program) => !isInstalled(program));
  return missing.length === 0
    ? null
    : `${missing.join(", ")} is not installed (apt-get install docker.io debootstrap).`;
}

/** A network that the host is not in. workerd needs the gateway, which the daemon lists only if it is set. */
const BRIDGE = "172.31.77.1/24";

export async function startDaemon(): Promise<Daemon> {
  const directory = mkdtempSync(join(tmpdir(), "dockerd-"));
  const socket = `unix://${join(directory, "docker.sock")}`;
  const firewall = execFileSync("iptables-save");
  const args = [
    ...["--host", socket, "--data-root", join(directory, "data"), "--exec-root", join(directory, "exec")],
    ...["--pidfile", join(directory, "pid"), "--bip", BRIDGE, "--ip", "127.0.0.1"],
  ];
  const daemon = spawn("dockerd", args, { stdio: ["ignore", "pipe", "pipe"] });
  const logFile = join(directory, "log");
  const log = createWriteStream(logFile);
  for (const stream of [daemon.stdout, daemon.stderr]) stream.pipe(log, { end: false });
  const exited = once(daemon, "exit");
  const stop = async (): Promise<void> => {
    daemon.kill("SIGTERM");
    await exited;
    log.end();
    const left = mounts().map((line) => line.split(" ")[4] ?? "");
    for (const path of left.filter((path) => path.startsWith(`${directory}/`)).reverse())
      execFileSync("umount", [path]);
    execFileSync("iptables-restore", { input: firewall });
    execFileSync("ip", ["link", "delete", "docker0"]);
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    while ((await readDocker(["--host", socket, "version"], 10_000)) === null) {
      if (daemon.exitCode !== null) throw new Error(`dockerd ended:\n${readFileSync(logFile, "utf8").slice(-2_000)}`);
      await delay(100);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { socket, stop };
}

const isInstalled = (program: string): boolean =>
  (process.env["PATH"] ?? "").split(":").some((directory) => existsSync(join(directory, program)));
