// Stand-ins for the two images that come from a registry: the base of container/image/Dockerfile, made of Debian's packages and
// npm's, and the platform's sidecar. The image of a machine itself is always built from its own Dockerfile.

import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { openCertificateAuthority } from "../../../../container/engine/egress/certificate-authority.ts";
import { projectDir } from "../start-server.ts";

export const SIDECAR_STAND_IN = "sandbox-mcp-test-sidecar";

export async function buildStandInImages(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "stand-in-images-"));
  try {
    importBase(directory);
    await buildSidecar(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The image that the Dockerfile begins with: `node:24-bookworm-slim`. */
const baseImage = (): string => {
  const dockerfile = readFileSync(join(projectDir, "container/image/Dockerfile"), "utf8");
  const name = /^FROM (\S+)/m.exec(dockerfile)?.[1];
  if (name === undefined) throw new Error("container/image/Dockerfile has no FROM");
  return name;
};

function importBase(directory: string): void {
  const root = join(directory, "root");
  const name = baseImage();
  const release = /-(\w+)-slim$/.exec(name)?.[1];
  if (release === undefined) throw new Error(`The base image ${name} does not name a release of Debian`);
  run("debootstrap", ["--variant=minbase", release, root]);
  cpSync(process.execPath, join(root, "usr/local/bin/node"));
  installNpm(directory, join(root, "usr/local"));
  // Where the network's TLS is intercepted, npm has to trust what the host trusts while the image is built.
  const authorities = "/usr/local/share/authorities-of-the-host.crt";
  const bundle = "/etc/ssl/certs/ca-certificates.crt";
  if (existsSync(bundle)) cpSync(bundle, join(root, authorities));
  else appendFileSync(join(root, authorities), "");
  const archive = join(directory, "root.tar");
  run("tar", ["-C", root, "-cf", archive, "."]);
  run("docker", ["import", "--change", `ENV NODE_EXTRA_CA_CERTS=${authorities}`, archive, name]);
  rmSync(root, { recursive: true });
}

/** From the registry, because the package of Node that the tests run with comes without npm. */
function installNpm(directory: string, prefix: string): void {
  run("npm", ["pack", "--silent", "--pack-destination", directory, "npm@11"]);
  const modules = join(prefix, "lib/node_modules/npm");
  mkdirSync(modules, { recursive: true });
  run("sh", ["-c", 'tar -xzf "$1"/npm-*.tgz -C "$2" --strip-components=1', "sh", directory, modules]);
  for (const name of ["npm", "npx"])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(prefix, "bin", name));
}

async function buildSidecar(directory: string): Promise<void> {
  const context = join(directory, "sidecar");
  for (const file of ["Dockerfile", "entry.sh"])
    cpSync(join(import.meta.dirname, "sidecar", file), join(context, file));
  // Made once, because making a key takes a while.
  await openCertificateAuthority(context);
  await build({
    entryPoints: [join(import.meta.dirname, "sidecar/main.ts")],
    outfile: join(context, "sidecar.cjs"),
    ...{ bundle: true, platform: "node", target: "node24", format: "cjs", logLevel: "warning" },
  });
  run("docker", ["build", "-t", SIDECAR_STAND_IN, "--build-arg", `BASE=${baseImage()}`, context]);
}

/** Its output is printed only when it fails. */
function run(program: string, args: string[]): void {
  execFileSync(program, args, { stdio: ["ignore", "pipe", "pipe"], maxBuffer: 64 * 1024 * 1024 });
}
