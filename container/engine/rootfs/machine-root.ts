// Writes the directories of one machine before anything runs in it: the root with its mount points, `/etc`, `/var`, and
// `/usr/local`. Synchronous on purpose: the hundred or so small calls take 4 ms, and nothing can be done before the last one.

import {
  chmodSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { MachineEtc } from "./machine-etc.ts";
import { DEVICES, type MachineDirectory, SYSTEM_DIRECTORIES } from "./machine-mounts.ts";

export interface RootOptions {
  readonly etc: MachineEtc;
  /** Paths inside that a mount goes over, and whether that needs a file or a directory. */
  readonly mountPoints: ReadonlyMap<string, "file" | "directory">;
  /** Directories of `/usr` that the machine may write in; empty where all of it is read-only. */
  readonly usrDirectories: readonly string[];
  /** Links below `/usr/local`: path to target. */
  readonly localLinks: ReadonlyMap<string, string>;
  /** The owner of everything written; undefined for the user who runs the engine. */
  readonly uid: number | undefined;
}

export function writeMachineRoot(directory: MachineDirectory, options: RootOptions): void {
  const write = new OwnedWriter(options.uid);
  for (const path of Object.values(directory)) write.directory(path);
  const { root, local } = directory;
  for (const path of OWN_DIRECTORIES) write.directory(root + path);
  for (const path of ["/tmp", "/var/tmp", "/dev/shm"]) chmodSync(root + path, 0o1777);
  chmodSync(`${root}/root`, 0o700);
  for (const [path, target] of Object.entries(LINKS)) write.link(root + path, target);
  for (const path of SYSTEM_DIRECTORIES) writeSystemDirectory(write, root, path);
  for (const device of DEVICES) write.file(`${root}/dev/${device}`, "");
  for (const [path, content] of options.etc.files) write.file(`${root}/etc/${path}`, content);
  for (const path of options.usrDirectories) write.directory(join(directory.usr, path));
  for (const path of LOCAL_DIRECTORIES) write.directory(join(local, path));
  for (const [path, target] of options.localLinks) write.link(join(local, path), target);
  for (const tool of PACKAGE_TOOLS) {
    if (existsSync(`/usr/bin/${tool}`)) write.file(join(local, "sbin", tool), PACKAGE_TOOL, 0o755);
  }
  for (const [path, kind] of options.mountPoints) {
    const at = path.startsWith("/usr/local/") ? join(local, path.slice("/usr/local/".length)) : root + path;
    if (kind === "directory") write.directory(at);
    else write.file(at, "");
  }
}

const OWN_DIRECTORIES = [
  ...["/dev", "/dev/pts", "/dev/shm", "/etc", "/home", "/media", "/mnt", "/opt", "/proc", "/root", "/run", "/run/lock"],
  ...["/run/sandbox", "/srv", "/sys", "/tmp", "/var", "/var/cache", "/var/lib", "/var/log", "/var/mail", "/var/spool"],
  ...["/var/tmp", "/workspace"],
];

const LOCAL_DIRECTORIES = ["bin", "etc", "games", "include", "lib", "lib/node_modules", "sbin", "share", "src"];

const LINKS = {
  "/dev/fd": "/proc/self/fd",
  "/dev/ptmx": "pts/ptmx",
  "/dev/stderr": "/proc/self/fd/2",
  "/dev/stdin": "/proc/self/fd/0",
  "/dev/stdout": "/proc/self/fd/1",
  "/etc/mtab": "/proc/self/mounts",
  "/var/lock": "/run/lock",
  "/var/run": "/run",
};

function writeSystemDirectory(write: OwnedWriter, root: string, path: string): void {
  if (!existsSync(path)) return;
  if (lstatSync(path).isSymbolicLink()) write.link(root + path, readlinkSync(path));
  else write.directory(root + path);
}

/** What system packages would be changed with. Each gets a script of its name that comes before it in PATH. */
const PACKAGE_TOOLS = ["apt", "apt-get", "dpkg"];
const PACKAGE_TOOL = readFileSync(new URL("package-tool.sh", import.meta.url));

/** Creates what is missing and gives it to the machine's user. */
class OwnedWriter {
  readonly #uid: number | undefined;

  constructor(uid: number | undefined) {
    this.#uid = uid;
  }

  directory(path: string): void {
    if (existsSync(path)) return;
    if (!existsSync(dirname(path))) this.directory(dirname(path));
    mkdirSync(path, { mode: 0o755 });
    this.#own(path);
  }

  file(path: string, content: Buffer | string, mode = 0o644): void {
    this.directory(dirname(path));
    writeFileSync(path, content, { mode });
    this.#own(path);
  }

  link(path: string, target: string): void {
    this.directory(dirname(path));
    symlinkSync(target, path);
    this.#own(path);
  }

  #own(path: string): void {
    if (this.#uid !== undefined) lchownSync(path, this.#uid, this.#uid);
  }
}
