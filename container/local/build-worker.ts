// Bundles the Worker with wrangler, as a deployment does, in a process of its own: wrangler takes longer to load than a start from
// the cache takes. Writes the modules into a directory and the options of the Worker into a file:
//
//   node build-worker.ts <wrangler.jsonc> <directory> <file>

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from "wrangler";

const [, , configPath = "", directory = "", optionsFile = ""] = process.argv;

const building = buildModules();
writeFileSync(optionsFile, JSON.stringify(readOptions()));
const failure = await building;
if (failure !== null) console.error(failure);
process.exit(failure === null ? 0 : 1);

/** Returns what wrangler says when it fails. */
async function buildModules(): Promise<string | null> {
  const wrangler = join(dirname(createRequire(import.meta.url).resolve("wrangler/package.json")), "bin/wrangler.js");
  const args = ["deploy", "--config", configPath, "--dry-run", "--outdir", directory, "--containers-rollout=none"];
  const child = spawn(process.execPath, [wrangler, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr] = await Promise.all([buffer(child.stdout), buffer(child.stderr), once(child, "close")]);
  return child.exitCode === 0 ? null : `${stdout}${stderr}`;
}

function readOptions(): object {
  const config = unstable_readConfig({ config: configPath });
  const { workerOptions } = unstable_getMiniflareWorkerOptions(config, undefined, {
    overrides: { enableContainers: true },
    containerBuildId: "local",
  });
  // The rules say which files become modules, which the bundle has settled. The bindings would have the values of .env and .dev.vars,
  // which do not belong into a cache.
  const { modulesRules: _, ...options } = workerOptions;
  return { ...options, name: config.name, bindings: config.vars };
}
