// The programs that every machine sees: Node, npm and ripgrep (where the host's system directories have none), the runner, and
// the engine's own init. They are copied into the state directory, because the originals may be below a closed home directory.

import {
  chmodSync,
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { build, stop } from "esbuild";
import type { StateDir } from "../state-dir.ts";

export interface MachineTools {
  /** What is bound read-only: host path to path inside. */
  readonly readOnly: ReadonlyMap<string, string>;
  /** Links below `/usr/local`: path to target. */
  readonly localLinks: ReadonlyMap<string, string>;
}

export const NODE_INSIDE = "/usr/local/bin/node";
export const PROGRAMS_INSIDE = "/run/sandbox-programs";

/** The files of the programs that an engine makes for its machines: their names to their text. */
export type OwnPrograms = ReadonlyMap<string, string>;

export async function prepareMachineTools(
  state: StateDir,
  runnerFile: string,
  own: OwnPrograms,
): Promise<MachineTools> {
  const node = keepNode(state);
  const programs = await makePrograms(state, runnerFile, own);
  const readOnly = new Map([
    [node, NODE_INSIDE],
    [programs, PROGRAMS_INSIDE],
  ]);
  const npm = findNpm(state);
  if (npm?.bindFrom !== undefined) readOnly.set(npm.bindFrom, npm.path);
  const localLinks = new Map<string, string>();
  // A system's own ripgrep comes first: it is the faster one on some hosts.
  if (!existsSync("/usr/bin/rg")) {
    copyFileSync(rgPath, join(programs, "rg"));
    chmodSync(join(programs, "rg"), 0o755);
    localLinks.set("bin/rg", `${PROGRAMS_INSIDE}/rg`);
  }
  if (npm !== undefined) {
    for (const name of ["npm", "npx"]) localLinks.set(`bin/${name}`, join(npm.path, `bin/${name}-cli.js`));
  }
  return { readOnly, localLinks };
}

/** The directory of the programs that are made for each engine anew. */
async function makePrograms(state: StateDir, runnerFile: string, own: OwnPrograms): Promise<string> {
  const programs = join(state.run, "programs");
  mkdirSync(programs, { mode: 0o755 });
  chmodSync(programs, 0o755);
  // Compiled, because Node would take 40 ms to strip the types at each start of a machine.
  await build({
    entryPoints: [join(import.meta.dirname, "../init/init.ts")],
    outfile: join(programs, "init.mjs"),
    ...{ bundle: true, platform: "node", format: "esm", target: "node24", logLevel: "warning" },
  });
  // esbuild's helper process would stay as long as the engine. `buildSync` would leave a zombie.
  await stop();
  copyFileSync(runnerFile, join(programs, "runner.mjs"));
  for (const [name, text] of own) writeFileSync(join(programs, name), text);
  for (const name of ["init.mjs", "runner.mjs", ...own.keys()]) chmodSync(join(programs, name), 0o644);
  return programs;
}

/**
 * One for each build of Node. Where possible it is a hard link, so that the memory that holds the code is shared with the
 * server's own processes. A copy is made under another name first, so that a half-written one is never used.
 */
function keepNode(state: StateDir): string {
  const { size, mtimeMs } = statSync(process.execPath);
  const kept = join(state.path, `tools-node-${process.version}-${size}-${Math.floor(mtimeMs)}`);
  if (!existsSync(kept)) {
    const part = join(state.run, "node.part");
    if (!linkNode(part)) {
      copyFileSync(process.execPath, part, constants.COPYFILE_FICLONE);
      chmodSync(part, 0o755);
    }
    renameSync(part, kept);
    removeOtherNodes(state, kept);
  }
  return kept;
}

function linkNode(at: string): boolean {
  // The mode is the original's, and a machine runs as another user.
  if ((statSync(process.execPath).mode & 0o555) !== 0o555) return false;
  try {
    linkSync(process.execPath, at);
    return true;
  } catch {
    // The state directory is on another file system, or on one without hard links.
    return false;
  }
}

/** Removes the Nodes of before an update, unless another engine may still make machines with them. */
function removeOtherNodes(state: StateDir, kept: string): void {
  const paths = readdirSync(state.path).map((name) => join(state.path, name));
  if (paths.some((path) => path.includes("/run-") && path !== state.run)) return;
  for (const path of paths) if (path.includes("/tools-node-") && path !== kept) rmSync(path);
}

/** npm's path inside: the system's own where there is one, else that of a bound copy of the one that installed this project. */
function findNpm(state: StateDir): { path: string; bindFrom?: string } | undefined {
  for (const path of ["/usr/lib/node_modules/npm", "/usr/share/nodejs/npm"]) {
    if (existsSync(join(path, "bin/npm-cli.js"))) return { path };
  }
  const source = [
    process.env["npm_execpath"],
    join(dirname(process.execPath), "../lib/node_modules/npm/bin/npm-cli.js"),
  ]
    .flatMap((file) => (file !== undefined && existsSync(file) ? [resolve(dirname(file), "..")] : []))
    .find((directory) => existsSync(join(directory, "bin/npm-cli.js")));
  return source === undefined ? undefined : { path: "/opt/npm", bindFrom: keepNpm(state, source) };
}

function keepNpm(state: StateDir, source: string): string {
  const { mtimeMs } = statSync(join(source, "package.json"));
  const kept = join(state.path, `tools-npm-${Math.floor(mtimeMs)}`);
  if (!existsSync(kept)) {
    const part = join(state.run, "npm.part");
    rmSync(part, { recursive: true, force: true });
    cpSync(source, part, { recursive: true, dereference: true });
    renameSync(part, kept);
  }
  return kept;
}
