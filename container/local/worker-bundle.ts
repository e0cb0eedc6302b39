// The bundled Worker. Bundles are cached in .wrangler/local under a hash of everything that goes into them.

import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import * as z from "zod";
import { runGuarded } from "./guarded-process.ts";
import { printLinesOf } from "./print-lines.ts";
import { UserError } from "./user-error.ts";

/** The options that wrangler derives from wrangler.jsonc for Miniflare. Only those that are used here are described. */
const WorkerOptions = z.looseObject({
  name: z.string(),
  compatibilityDate: z.string(),
  bindings: z.record(z.string(), z.json()),
  durableObjects: z.record(
    z.string(),
    z.looseObject({ className: z.string(), container: z.object({ imageName: z.string() }).optional() }),
  ),
});
export type WorkerOptions = z.infer<typeof WorkerOptions>;

export interface WorkerBundle {
  directory: string;
  options: WorkerOptions;
  /** The first is the main module. */
  modules: { type: "ESModule" | "Text"; path: string }[];
}

export const MAIN_MODULE = "index.js";
/** The main module of the local Worker, which imports the other one. */
const LOCAL_MODULE = "main-worker.js";
const OPTIONS_FILE = "worker-options.json";

/** Returns the directory of the bundle, which is built if the cache does not have it. Rejects with a UserError on failure. */
export async function bundleWorker(projectDir: string): Promise<string> {
  const cache = join(projectDir, ".wrangler/local");
  const directory = join(cache, hashInputs(projectDir));
  if (existsSync(directory)) return directory;
  const unfinished = join(cache, `unfinished-${randomUUID()}`);
  mkdirSync(unfinished, { recursive: true });
  try {
    await build(projectDir, unfinished);
    checkInputs(projectDir, unfinished);
    publish(unfinished, directory);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  removeOld(cache);
  return directory;
}

export function readBundle(directory: string): WorkerBundle {
  const options = WorkerOptions.parse(JSON.parse(readFileSync(join(directory, OPTIONS_FILE), "utf8")));
  // wrangler names a module that is imported as text by the hash of its content and the name of the file.
  const texts = readdirSync(directory).filter((name) => /^[0-9a-f]{40}-.*\.js$/.test(name));
  return {
    directory,
    options,
    modules: [
      ...[LOCAL_MODULE, MAIN_MODULE].map((name) => ({ type: "ESModule" as const, path: join(directory, name) })),
      ...texts.map((name) => ({ type: "Text" as const, path: join(directory, name) })),
    ],
  };
}

/** The directories and files of the project that the bundle is made of. */
const INPUTS = ["src", "tools", "package.json", "package-lock.json", "tsconfig.json", "wrangler.jsonc"];
/** What else decides the bundle: the installed packages, and the program that builds it. */
const TOOLS = ["node_modules/.package-lock.json", "container/local/build-worker.ts", "container/local/isolates"];

function hashInputs(projectDir: string): string {
  const hash = createHash("sha256");
  for (const path of [...INPUTS, ...TOOLS].flatMap((input) => listFiles(join(projectDir, input))))
    hash.update(`${relative(projectDir, path)}\0`).update(createHash("sha256").update(readFileSync(path)).digest());
  return hash.digest("hex").slice(0, 32);
}

/** Returns the files of a directory in a fixed order, or the file itself, or nothing when the path does not exist. */
function listFiles(path: string): string[] {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

async function build(projectDir: string, directory: string): Promise<void> {
  const program = join(projectDir, "container/local/build-worker.ts");
  const code = await runGuarded({
    command: process.execPath,
    args: [program, join(projectDir, "wrangler.jsonc"), directory, join(directory, OPTIONS_FILE)],
    // Keeps wrangler from sending metrics, from checking for updates, and from writing logs to the home directory.
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true", WRANGLER_WRITE_LOGS: "false" },
    onLine: printLinesOf("bundle"),
  });
  if (code !== 0) throw new UserError("The Worker could not be bundled; what is printed above says why.");
}

/** Rejects a source that is not among the inputs: a change of it would leave an outdated bundle in use. */
function checkInputs(projectDir: string, directory: string): void {
  const map = z.object({ sources: z.array(z.string()) });
  const { sources } = map.parse(JSON.parse(readFileSync(join(directory, `${MAIN_MODULE}.map`), "utf8")));
  const inputs = INPUTS.map((input) => join(projectDir, input));
  const isInput = (path: string) => inputs.some((input) => path === input || path.startsWith(`${input}/`));
  for (const source of sources.map((path) => resolve(directory, path)))
    if (!source.includes("/node_modules/") && !isInput(source))
      throw new UserError(
        `The Worker imports ${source}, which worker-bundle.ts does not list among its inputs; add it.`,
      );
}

/** Another server may have built and published the same bundle in the meantime. */
function publish(unfinished: string, directory: string): void {
  try {
    renameSync(unfinished, directory);
  } catch (error) {
    if (!existsSync(directory)) throw error;
  }
}

/** Older bundles are kept for switching between branches. */
const BUNDLES_MAX = 5;
/** An unfinished directory that is older was left by a build that was ended by force. */
const BUILD_MAX_MS = 60 * 60 * 1_000;

function removeOld(cache: string): void {
  const entries = readdirSync(cache)
    .map((name) => ({ name, time: statSync(join(cache, name)).mtimeMs }))
    .sort((a, b) => b.time - a.time);
  const isUnfinished = ({ name }: { name: string }): boolean => name.startsWith("unfinished-");
  const old = [
    ...entries.filter((entry) => !isUnfinished(entry)).slice(BUNDLES_MAX),
    ...entries.filter((entry) => isUnfinished(entry) && entry.time < Date.now() - BUILD_MAX_MS),
  ];
  for (const { name } of old) rmSync(join(cache, name), { recursive: true, force: true });
}
