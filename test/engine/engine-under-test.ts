// A real engine process for tests, run by the user who runs the tests or, where that is root, by an ordinary user too; and a
// client that talks to it as workerd does.

import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from "node:fs";
import { request } from "node:http";
import type { Socket } from "node:net";
import { dirname, join } from "node:path";
import * as z from "zod";
import { readStat } from "../../container/proc/process-stat.ts";
import { endWithTests } from "../end-with-tests.ts";

export const isRoot = process.getuid?.() === 0;
/** The users that an engine can be run by: both where root runs the tests, else only the one who does. */
export const users = isRoot ? (["root", "ordinary"] as const) : (["ordinary"] as const);
export type EngineUser = (typeof users)[number];

/** The numbers of these system calls. */
const [ADD_KEY, KEYCTL] = process.arch === "x64" ? ["248", "250"] : ["217", "219"];

/** Writes the ids of the keys and of the user's keyring to a file, because a machine should not see them in /proc/keys. */
const ADD_KEYS = `my ($add, $keyctl, $file) = splice @ARGV, 0, 3;
  my ($type, @names) = ("user", "host-key", "host-user-key");
  my @ids = map { my ($name, $secret) = ($names[$_], "secret"); syscall(0 + $add, $type, $name, $secret, 6, -3 - $_) } 0, 1;
  open my $out, ">", $file; print $out join " ", @ids, syscall(0 + $keyctl, 0, -4, 0); close $out;
  exec @ARGV`;

/** A user id that no account has. */
export const ORDINARY_UID = 1_234_567;

export interface EngineUnderTest {
  readonly pid: number;
  readonly stateDir: string;
  readonly exited: Promise<number | string>;
  /** What it has written to standard error so far. */
  readonly stderr: readonly string[];
  api(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }>;
  /** Creates and starts `NAME-proxy` and `NAME`, as workerd does. */
  startMachine(name: string, environment?: Record<string, string>): Promise<void>;
  exec(name: string, command: string): Promise<{ code: number | string; output: string }>;
  /** A connection to a port of the machine, or undefined when the sidecar refuses it. */
  connect(name: string, port: number): Promise<Socket | undefined>;
  sidecarPort(name: string): Promise<number>;
  signal(name: NodeJS.Signals): void;
  /** Ends the engine. Another can be started in the same home then. */
  close(): Promise<void>;
}

export interface EngineOptions {
  readonly user?: EngineUser;
  readonly environment?: Record<string, string>;
  /** A shell script that changes what the host has mounted. It runs as root before the engine, in the same mount namespace. */
  readonly hostMounts?: string;
  /** The start of a command that becomes the engine. */
  readonly within?: readonly string[];
  /** Whether the engine may read the environment of the last machine of an earlier engine. */
  readonly keepSpare?: boolean;
  /** The file of the runner; stub-runner.mjs when absent. */
  readonly runner?: string;
}

export async function startEngine(options: EngineOptions = {}): Promise<EngineUnderTest> {
  const user = options.user ?? users[0];
  const home = homes.get(user) ?? makeHome(user);
  homes.set(user, home);
  if (options.keepSpare !== true) rmSync(join(home, "state/spare-environment.json"), { force: true });
  const socketPath = join(home, "engine.sock");
  const apart = ["unshare", "--mount", "sh", "-ec", `${options.hostMounts}\nexec "$@"`, "sh"];
  const hostFile = openSync(join(home, "host-file"), "a+");
  const child = spawn(
    "env",
    [
      // Adds a key to the session, as a login does, and to the user's keyring, so that there are some that a machine must not see.
      ...["perl", "-e", ADD_KEYS, ADD_KEY, KEYCTL, join(home, "keys")],
      ...(options.hostMounts === undefined ? [] : apart),
      ...(options.within ?? []),
      join(home, "node"),
      ...[join(home, "container/engine/main.ts"), "--socket", socketPath],
      ...["--state", join(home, "state"), "--runner", options.runner ?? join(home, "stub-runner.mjs")],
    ],
    {
      cwd: "/",
      env: { PATH: process.env["PATH"], HOME: home, HOST_SECRET: "of the host", ...options.environment },
      // The engine inherits an open file of the host, as after `exec 200<file` in its shell.
      stdio: ["ignore", "pipe", "pipe", ...Array<"ignore">(197).fill("ignore"), hostFile],
      ...(user === "ordinary" && isRoot ? { uid: ORDINARY_UID, gid: ORDINARY_UID } : {}),
    },
  );
  closeSync(hostFile);
  endWithTests(child);
  const stderr: string[] = [];
  child.stderr?.setEncoding("utf8").on("data", (text: string) => void stderr.push(text));
  const exited = new Promise<number | string>((resolve) =>
    child.once("exit", (code, signal) => resolve(code ?? signal ?? "")),
  );
  await firstLine(child, exited, stderr);
  return new RunningEngine(child, exited, home, socketPath, stderr);
}

/** One home for each user and test file. The engines that use it follow each other, as those of one project do. */
const homes = new Map<EngineUser, string>();

/** To be called in afterAll. */
export function removeHomes(): void {
  for (const home of homes.values()) rmSync(home, { recursive: true, force: true });
}

/** The engine and its Node where any user can read them, however closed the project's own directory is. The path has a space. */
function makeHome(user: EngineUser): string {
  const home = mkdtempSync("/tmp/engine test-");
  const project = join(import.meta.dirname, "../..");
  for (const part of [...SOURCES, ...installedPackages()]) {
    cpSync(join(project, part), join(home, part), { recursive: true });
  }
  cpSync(join(import.meta.dirname, "stub-runner.mjs"), join(home, "stub-runner.mjs"));
  try {
    linkSync(process.execPath, join(home, "node"));
  } catch {
    cpSync(process.execPath, join(home, "node"));
  }
  mkdirSync(join(home, "state"));
  chmodSync(home, 0o755);
  if (user === "ordinary" && isRoot)
    for (const path of [home, join(home, "state")]) chownSync(path, ORDINARY_UID, ORDINARY_UID);
  return home;
}

/** What the engine is made of. */
const SOURCES = ["container/engine", "container/proc", "container/image"];
const PACKAGES = ["@peculiar/x509", "@vscode/ripgrep", "dns-packet", "esbuild", "reflect-metadata", "zod"];

/** Directories of the packages that the engine imports and of all that these depend on, as far as they are installed. */
function installedPackages(): string[] {
  const lock = PackageLock.parse(
    JSON.parse(readFileSync(join(import.meta.dirname, "../../package-lock.json"), "utf8")),
  );
  const found = new Set<string>();
  const add = (name: string): void => {
    const path = `node_modules/${name}`;
    if (found.has(path) || !existsSync(join(import.meta.dirname, "../..", path))) return;
    found.add(path);
    const { dependencies, optionalDependencies } = lock.packages[path] ?? {};
    for (const dependency of Object.keys({ ...dependencies, ...optionalDependencies })) add(dependency);
  };
  for (const name of PACKAGES) add(name);
  return [...found];
}

const Dependencies = z.record(z.string(), z.string()).optional();
const PackageLock = z.object({
  packages: z.record(z.string(), z.object({ dependencies: Dependencies, optionalDependencies: Dependencies })),
});

function firstLine(child: ChildProcess, exited: Promise<number | string>, stderr: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.once("data", () => resolve());
    void exited.then((code) => reject(new Error(`The engine exited with ${code}: ${stderr.join("")}`)));
  });
}

class RunningEngine implements EngineUnderTest {
  readonly pid: number;
  readonly stateDir: string;
  readonly exited: Promise<number | string>;
  readonly stderr: readonly string[];
  readonly #child: ChildProcess;
  readonly #socketPath: string;
  constructor(
    child: ChildProcess,
    exited: Promise<number | string>,
    home: string,
    socketPath: string,
    stderr: readonly string[],
  ) {
    this.pid = child.pid ?? 0;
    this.stateDir = join(home, "state");
    this.exited = exited;
    this.#child = child;
    this.#socketPath = socketPath;
    this.stderr = stderr;
  }

  api(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> {
    return new Promise((resolve, reject) => {
      const call = request({ socketPath: this.#socketPath, method, path, agent: false }, (response) => {
        void readText(response).then((text) => {
          resolve({ status: response.statusCode ?? 0, body: /^[[{]/.test(text) ? JSON.parse(text) : text });
        }, reject);
      });
      call.once("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  async startMachine(name: string, environment: Record<string, string> = {}): Promise<void> {
    const Env = Object.entries(environment).map(([key, value]) => `${key}=${value}`);
    for (const container of [`${name}-proxy`, name]) {
      await this.api("POST", `/containers/create?name=${container}`, { Image: "stub", Env });
      const { status, body } = await this.api("POST", `/containers/${container}/start`);
      if (status !== 204) throw new Error(JSON.stringify(body));
    }
  }

  async exec(name: string, command: string): Promise<{ code: number | string; output: string }> {
    const socket = await this.connect(name, 39_100);
    if (socket === undefined) {
      const { body } = await this.api("GET", `/containers/${name}/json`);
      throw new Error(`The runner's port does not answer: ${JSON.stringify(body)} ${this.stderr.join("")}`);
    }
    return new Promise((resolve, reject) => {
      const call = request({ createConnection: () => socket, method: "POST", path: "/" }, (response) => {
        readText(response).then((text) => resolve(ExecAnswer.parse(JSON.parse(text))), reject);
        response.once("end", () => socket.destroy());
      });
      call.once("error", reject).end(command);
    });
  }

  async connect(name: string, port: number): Promise<Socket | undefined> {
    const call = request({
      ...{ host: "127.0.0.1", port: await this.sidecarPort(name), method: "CONNECT", path: "machine", agent: false },
      headers: { "x-dst-addr": `10.0.0.1:${port}` },
    });
    return new Promise((resolve, reject) => {
      call.once("error", reject).once("connect", (response, socket) => {
        if (response.statusCode === 200) return resolve(socket);
        socket.destroy();
        return resolve(undefined);
      });
      call.end();
    });
  }

  async sidecarPort(name: string): Promise<number> {
    const { body } = await this.api("GET", `/containers/${name}-proxy/json`);
    return Number(SidecarInspect.parse(body).NetworkSettings.Ports["39001/tcp"][0].HostPort);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async close(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.exited;
  }
}

const ExecAnswer = z.object({ code: z.union([z.number(), z.string()]), output: z.string() });

const SidecarInspect = z.object({
  NetworkSettings: z.object({ Ports: z.object({ "39001/tcp": z.tuple([z.object({ HostPort: z.string() })]) }) }),
});

async function readText(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The processes of the host that descend from the engine: those of its machines, the spare one included. */
export function processesOf(engine: EngineUnderTest): string[] {
  const parents = new Map<string, string>();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const parent = readStat(Number(pid))?.parent;
    if (parent !== undefined) parents.set(pid, String(parent));
  }
  const isBelow = (pid: string): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === String(engine.pid) || isBelow(parent));
  };
  return [...parents.keys()].filter(isBelow);
}

/** The processes of one machine that are alive; `namespace` is its PID namespace as /proc/PID/ns/pid shows it. */
export const processesIn = (engine: EngineUnderTest, namespace: string): string[] =>
  processesOf(engine).filter((pid) => readLink(`/proc/${pid}/ns/pid`) === namespace);

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

export const isAlive = (pid: string): boolean => {
  const stat = readStat(Number(pid));
  return stat !== null && stat.state !== "Z";
};

export function readFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

export const homeOf = (engine: EngineUnderTest): string => dirname(engine.stateDir);

/** Resolves when `condition` holds. Rejects after `milliseconds` with `what`, which names the condition. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  milliseconds = 60_000,
): Promise<void> {
  const end = Date.now() + milliseconds;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`Not within ${milliseconds} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
