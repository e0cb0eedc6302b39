// The bundled Worker, from the cache in .wrangler/local while nothing that goes into it has changed.

import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import * as z from "zod";
import { runGuarded } from "./guarded-process.ts";
import { UserError } from "./user-error.ts";

/** What wrangler makes of wrangler.jsonc for Miniflare. Only what is read or changed here is described. */
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
const OPTIONS_FILE = "worker-options.json";

/** Returns the directory of the bundle, which is built unless the cache has it. Rejects with a UserError when the build fails. */
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
  // wrangler puts the hash of its content before the name of each file that goes in as text.
  const texts = readdirSync(directory).filter((name) => /^[0-9a-f]{40}-.*\.js$/.test(name));
  return {
    directory,
    options,
    modules: [
      { type: "ESModule", path: join(directory, MAIN_MODULE) },
      ...texts.map((name) => ({ type: "Text" as const, path: join(directory, name) })),
    ],
  };
}

/** Directories and files of the project that make the bundle, and what npm has installed. */
const INPUTS = ["src", "tools", "package.json", "package-lock.json", "tsconfig.json", "wrangler.jsonc"];
const TOOLS = ["node_modules/.package-lock.json", "container/local/build-worker.ts"];

function hashInputs(projectDir: string): string {
  const hash = createHash("sha256");
  for (const path of [...INPUTS, ...TOOLS].flatMap((input) => listFiles(join(projectDir, input))))
    hash.update(`${relative(projectDir, path)}\0`).update(createHash("sha256").update(readFileSync(path)).digest());
  return hash.digest("hex").slice(0, 32);
}

/** In an order that is always the same; a file alone is itself, and nothing where there is none. */
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
    // Nothing is asked of the network, and nothing is told to it.
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true", WRANGLER_WRITE_LOGS: "false" },
    onLine: (line) => console.error(line),
  });
  if (code !== 0) throw new UserError("The Worker could not be bundled; what is printed above says why.");
}

/** A source outside of the inputs would change without the bundle being built again. */
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

/** Another server of this project may have built the same at the same time. */
function publish(unfinished: string, directory: string): void {
  try {
    renameSync(unfinished, directory);
  } catch (error) {
    if (!existsSync(directory)) throw error;
  }
}

/** So many are kept: another checkout of the same files is a switch of branches away. */
const KEPT = 5;
/** No build takes that long: what is older was ended by force. */
const UNFINISHED_MS = 60 * 60 * 1_000;

function removeOld(cache: string): void {
  const entries = readdirSync(cache)
    .map((name) => ({ name, time: statSync(join(cache, name)).mtimeMs }))
    .sort((a, b) => b.time - a.time);
  const isUnfinished = ({ name }: { name: string }): boolean => name.startsWith("unfinished-");
  const old = [
    ...entries.filter((entry) => !isUnfinished(entry)).slice(KEPT),
    ...entries.filter((entry) => isUnfinished(entry) && entry.time < Date.now() - UNFINISHED_MS),
  ];
  for (const { name } of old) rmSync(join(cache, name), { recursive: true, force: true });
}
