// Bundles the Worker with wrangler, as a deployment does, and beside it what the processes for isolates run. It is a program of its own because loading wrangler takes longer than a
// whole start with a cached bundle. It writes the modules to a directory and the options of the Worker to a file:
//
//   node build-worker.ts <wrangler.jsonc> <directory> <file>

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from "wrangler";
import { bundleIsolates } from "./isolates/bundle-isolates.ts";

const [, , configPath = "", directory = "", optionsFile = ""] = process.argv;

const building = Promise.all([buildModules(), bundleIsolates(directory)]);
writeFileSync(optionsFile, JSON.stringify(readOptions()));
const [failure] = await building;
if (failure !== null) console.error(failure);
process.exit(failure === null ? 0 : 1);

/** Returns what wrangler prints when it fails, otherwise null. */
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
  // The module rules are for bundling, which is done. The bindings would contain the secrets of .env and .dev.vars, which
  // must not be stored in the cache, so only the `vars` of the configuration are used.
  const { modulesRules: _, ...options } = workerOptions;
  return { ...options, name: config.name, bindings: config.vars };
}
