// What the host lacks for machines without Docker, one sentence each with what to do. It tries the real thing, as a user
// that machines run as, and looks for the reasons only when that fails. It must be quick, because `npm start` waits for it.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { release } from "node:os";
import { promisify } from "node:util";
import { isInMachinePath } from "./machine/machine-path.ts";
import { asMachineUser, machineUid } from "./machine/machine-user.ts";

/** Empty where machines can be made. */
export async function preflight(): Promise<string[]> {
  if (process.platform !== "linux") {
    return [`The built-in engine needs Linux and this is ${process.platform}: start Docker, then run this again.`];
  }
  const missing = PROGRAMS.filter((program) => !isInMachinePath(program));
  if (missing.length > 0) {
    return [`Programs are missing (${missing.join(", ")}): install the package util-linux, or start Docker.`];
  }
  if (!isInMachinePath("ip") && !isInMachinePath("perl")) {
    return ["A program that can bring up a network device is missing: install iproute2 or perl, or start Docker."];
  }
  const failure = await tryNamespaces();
  return failure === undefined ? [] : reasons(failure);
}

const PROGRAMS = ["sh", "mount", "umount", "pivot_root", "prlimit", "setpriv", "unshare"];

async function tryNamespaces(): Promise<string | undefined> {
  const [program = "", ...rest] = [
    ...asMachineUser(machineUid(0)),
    ...["unshare", "--user", "--map-root-user", "--mount", "--pid", "--net", "--uts", "--ipc", "--cgroup", "--fork"],
    ...["--kill-child", "mount", "-t", "proc", "proc", "/proc"],
  ];
  try {
    await promisify(execFile)(program, rest, { cwd: "/" });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function reasons(failure: string): string[] {
  const [major = 0, minor = 0] = release().split(".").map(Number);
  const found = [
    ...(major * 1000 + minor < OLDEST_KERNEL
      ? [`The kernel is ${release()}, and machines need 5.14 or newer: update it, or start Docker.`]
      : []),
    ...SETTINGS.filter(({ path, off }) => readSetting(path) === off).map(
      ({ path, on }) =>
        `User namespaces are off: run 'sudo sysctl -w ${path.slice("/proc/sys/".length).replaceAll("/", ".")}=${on}', or start Docker.`,
    ),
  ];
  if (found.length > 0) return found;
  const reason = failure.trim().split("\n").at(-1);
  return [
    `Namespaces cannot be made here (${reason}), as inside most containers: start Docker, or run this on the host.`,
  ];
}

/** The first kernel that counts the processes of each user namespace separately. */
const OLDEST_KERNEL = 5014;

const SETTINGS = [
  { path: "/proc/sys/user/max_user_namespaces", off: "0", on: "15000" },
  { path: "/proc/sys/kernel/unprivileged_userns_clone", off: "0", on: "1" },
  { path: "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", off: "1", on: "0" },
];

function readSetting(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}
