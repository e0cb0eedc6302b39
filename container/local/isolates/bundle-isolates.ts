// Bundles the Worker of the processes that run isolates, into a directory with its configuration and the module through which
// the real Worker uses it.

import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { build, type Plugin, stop } from "esbuild";

export async function bundleIsolates(directory: string): Promise<void> {
  await build({
    entryPoints: [join(import.meta.dirname, "isolates-worker.js")],
    outfile: join(directory, "isolates.js"),
    bundle: true,
    format: "esm",
    target: "es2024",
    external: ["cloudflare:*"],
    logLevel: "warning",
    plugins: [harnessAsText],
  });
  await stop();
  for (const name of ["isolates.capnp", "main-worker.js"])
    await copyFile(join(import.meta.dirname, name), join(directory, name));
}

/** As the rule in wrangler.jsonc. */
const harnessAsText: Plugin = {
  name: "harness-as-text",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/harness\/[^/]+\.js$/ }, async ({ path }) => ({
      contents: await readFile(path, "utf8"),
      loader: "text",
    })),
};
