// Makes the runner one self-contained file: `node container/runner/bundle.ts OUT`.

import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { build, type Plugin, stop } from "esbuild";
import { scripts } from "./scripts.ts";

export async function bundleRunner(outfile: string): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(new URL("./main.ts", import.meta.url))],
    outfile,
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    minifySyntax: true,
    treeShaking: true,
    legalComments: "none",
    logLevel: "warning",
    plugins: [inlineScripts],
  });
  // esbuild's helper process would live as long as this one. That of `buildSync` always stays, as a zombie.
  await stop();
}

const inlineScripts: Plugin = {
  name: "inline-scripts",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/runner\/scripts\.ts$/ }, () => ({
      contents: `export const scripts = ${JSON.stringify(scripts)};`,
    })),
};

if (argv[1] === fileURLToPath(import.meta.url)) {
  const outfile = argv[2];
  if (outfile === undefined) throw new Error("Name the file to write: node container/runner/bundle.ts OUT");
  await bundleRunner(outfile);
}
