// The Dockerfile cannot import anything, so these tests compare it with what it has to agree with.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { expect, test } from "vitest";
import { CERTIFICATE_BUNDLE_VARIABLES } from "../../container/image/certificate-variables.ts";

const root = join(import.meta.dirname, "../..");

/** The files that the runner's bundle is made of, relative to the repository. */
function bundleInputs(): string[] {
  const { metafile } = buildSync({
    absWorkingDir: root,
    entryPoints: ["container/runner/main.ts"],
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    metafile: true,
    logLevel: "silent",
  });
  return Object.keys(metafile.inputs);
}

test("the Dockerfile installs what the runner imports", () => {
  const used = bundleInputs().flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
  const list = /node -p "\[([^\]]+)\]/.exec(readFileSync(join(root, "container/image/Dockerfile"), "utf8"))?.[1] ?? "";
  const installed = [...list.matchAll(/'([^']+)'/g)].map(([, name = ""]) => name);
  expect(installed.sort()).toEqual([...new Set([...used, "esbuild"])].sort());
});

const read = (file: string): string[] => readFileSync(join(root, file), "utf8").split("\n");

const copied = read("container/image/Dockerfile").flatMap((line) =>
  /^COPY (?!--from)/.test(line) ? line.split(" ").slice(1, -1) : [],
);

test("the Dockerfile copies every source file of the runner", () => {
  const sources = bundleInputs().filter((file) => !file.includes("node_modules/"));
  expect(sources.length).toBeGreaterThan(50);
  expect(sources.filter((file) => !copied.some((path) => file === path || file.startsWith(`${path}/`)))).toEqual([]);
});

test(".dockerignore lets in what the Dockerfile copies", () => {
  const letIn = read(".dockerignore").flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []));
  expect(copied.length).toBeGreaterThan(3);
  expect(copied.filter((path) => !letIn.some((open) => path === open || path.startsWith(`${open}/`)))).toEqual([]);
});

test("the Dockerfile sets every variable that names the certificate bundle", () => {
  const set = read("container/image/Dockerfile").flatMap(
    (line) => /^(?:ENV| ) ([A-Z0-9_]+)=\/etc\/ssl\/certs\/ca-certificates\.crt/.exec(line)?.[1] ?? [],
  );
  expect(set).toEqual(CERTIFICATE_BUNDLE_VARIABLES);
});
