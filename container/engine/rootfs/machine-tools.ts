// The programs that every machine sees: Node, npm and ripgrep where the host's system directories have none, the runner, and the
// engine's own init. Copied once into the state directory, because the originals may be below a closed home directory.

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
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { build, stop } from "esbuild";
import type { StateDir } from "../state-dir.ts";

export interface MachineTools {
  /** Host path to the path inside that it is bound on, read-only. */
  readonly readOnly: ReadonlyMap<string, string>;
  /** Links below `/usr/local`: path to target. */
  readonly localLinks: ReadonlyMap<string, string>;
}

export const NODE_INSIDE = "/usr/local/bin/node";
export const PROGRAMS_INSIDE = "/run/sandbox-programs";

export async function prepareMachineTools(state: StateDir, runnerFile: string): Promise<MachineTools> {
  const node = keepNode(state);
  const programs = join(state.run, "programs");
  mkdirSync(programs, { mode: 0o755 });
  chmodSync(programs, 0o755);
  // Without its types, because Node takes 40 ms to leave them out each time.
  await build({
    entryPoints: [join(import.meta.dirname, "../init/init.ts")],
    outfile: join(programs, "init.mjs"),
    ...{ bundle: true, platform: "node", format: "esm", target: "node24", logLevel: "warning" },
  });
  // Its helper process would stay as long as the engine; that of `buildSync` stays in any case, as a zombie.
  await stop();
  copyFileSync(runnerFile, join(programs, "runner.mjs"));
  for (const name of ["init.mjs", "runner.mjs"]) chmodSync(join(programs, name), 0o644);
  const readOnly = new Map([
    [node, NODE_INSIDE],
    [programs, PROGRAMS_INSIDE],
  ]);
  const npm = findNpm(state);
  if (npm?.bindFrom !== undefined) readOnly.set(npm.bindFrom, npm.path);
  const localLinks = new Map<string, string>();
  // The system's own is the faster one on some, and the only one that may be missing.
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

/**
 * One for each build of Node. Where it can, it is the same file by another name: then the memory that holds its code is shared
 * with the server's own processes. A copy is made under another name first, so that a half-written one is never used.
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
  // A machine's user is somebody else, and the mode belongs to the original.
  if ((statSync(process.execPath).mode & 0o555) !== 0o555) return false;
  try {
    linkSync(process.execPath, at);
    return true;
  } catch {
    // Another file system, or one without links.
    return false;
  }
}

/** Copies of Node before an update; not while another engine may still make machines with them. */
function removeOtherNodes(state: StateDir, kept: string): void {
  const paths = readdirSync(state.path).map((name) => join(state.path, name));
  if (paths.some((path) => path.includes("/run-") && path !== state.run)) return;
  for (const path of paths) if (path.includes("/tools-node-") && path !== kept) rmSync(path);
}

/** npm of the system where it is visible inside anyway, else a copy of the one that this was installed with. */
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
  if (source === undefined) return undefined;
  const { mtimeMs } = statSync(join(source, "package.json"));
  const kept = join(state.path, `tools-npm-${Math.floor(mtimeMs)}`);
  if (!existsSync(kept)) {
    const part = join(state.run, "npm.part");
    rmSync(part, { recursive: true, force: true });
    cpSync(source, part, { recursive: true, dereference: true });
    renameSync(part, kept);
  }
  return { path: "/opt/npm", bindFrom: kept };
}
