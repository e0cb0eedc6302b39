// Docker as the engine: the socket of the daemon, and the two images that it needs.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { runGuarded } from "./guarded-process.ts";
import { UserError } from "./user-error.ts";

/** workerd starts it beside each machine, to carry the machine's traffic. This version of Miniflare uses it by default. */
export const SIDECAR_IMAGE =
  process.env["MINIFLARE_CONTAINER_EGRESS_IMAGE"] ??
  "cloudflare/proxy-everything:3cb1195@sha256:0ef6716c52430096900b150d84a3302057d6cd2319dae7987128c85d0733e3c8";

/** wrangler reads the same setting, for a client with another name. */
const client = (): string => process.env["WRANGLER_DOCKER_BIN"] ?? "docker";
const run = promisify(execFile);

/** Builds the image of the machines under the name `image`, and pulls the image of the sidecar if the daemon does not have it. */
export async function prepareImages(projectDir: string, image: string): Promise<void> {
  const dockerfile = join(projectDir, "container/image/Dockerfile");
  const platform = ["--platform", "linux/amd64"];
  await docker(["build", "--load", "-t", image, ...platform, "--provenance=false", "-f", dockerfile, projectDir]);
  if (!(await hasImage(SIDECAR_IMAGE))) await docker(["pull", SIDECAR_IMAGE, ...sidecarPlatform()]);
}

/** Returns the URL of the daemon's socket. */
export async function dockerSocket(): Promise<string> {
  const setting = process.env["WRANGLER_DOCKER_HOST"] ?? process.env["DOCKER_HOST"];
  if (setting !== undefined && setting !== "") return setting;
  try {
    const { stdout } = await run(client(), ["context", "inspect", "--format", "{{.Endpoints.docker.Host}}"]);
    if (stdout.trim() !== "") return stdout.trim();
  } catch {
    // A client that does not know contexts uses the default socket.
  }
  return "unix:///var/run/docker.sock";
}

/** Runs the client and prints its output, since a build may take minutes. */
async function docker(args: string[]): Promise<void> {
  const code = await runGuarded({ command: client(), args, env: process.env, onLine: (line) => console.error(line) });
  if (code !== 0) throw new UserError(`"docker ${args[0]}" failed; what is printed above says why.`);
}

async function hasImage(name: string): Promise<boolean> {
  try {
    await run(client(), ["image", "inspect", "--format", "{{.Id}}", name]);
    return true;
  } catch {
    return false;
  }
}

function sidecarPlatform(): string[] {
  const platform = process.env["MINIFLARE_CONTAINER_EGRESS_IMAGE_PLATFORM"];
  return platform === undefined ? [] : ["--platform", platform];
}
