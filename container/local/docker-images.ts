// The two images that workerd starts containers from: the machine and the sidecar, which carries the machine's traffic. Each
// has a label with the project's id, which its containers inherit, because workerd does not allow labels on the containers.

import { join } from "node:path";
import { readDocker, runDocker } from "./docker-client.ts";

export type ContainerKind = "machine" | "sidecar";

export const containerLabel = (kind: ContainerKind, projectId: string): string => `sandbox-mcp.${kind}=${projectId}`;

export const imageNames = (projectId: string): Record<ContainerKind, string> => ({
  machine: `sandbox-mcp:${projectId}`,
  sidecar: `sandbox-mcp-sidecar:${projectId}`,
});

/** This version of Miniflare uses it by default. */
export const SIDECAR_IMAGE =
  process.env["MINIFLARE_CONTAINER_EGRESS_IMAGE"] ??
  "cloudflare/proxy-everything:3cb1195@sha256:0ef6716c52430096900b150d84a3302057d6cd2319dae7987128c85d0733e3c8";

export async function buildImages(projectDir: string, projectId: string): Promise<Record<ContainerKind, string>> {
  const images = imageNames(projectId);
  // Without these flags buildx may leave an image where the daemon cannot start it. Only buildx knows them, and the packages of
  // Linux distributions often come without it.
  const flags = (await readDocker(["buildx", "version"])) === null ? [] : ["--load", "--provenance=false"];
  const build = (kind: ContainerKind, args: string[]) =>
    runDocker(["build", ...flags, "-t", images[kind], "--label", containerLabel(kind, projectId), ...args]);
  const directory = join(projectDir, "container/image");
  await build("machine", ["--platform", "linux/amd64", "-f", join(directory, "Dockerfile"), projectDir]);
  if ((await readDocker(["image", "inspect", "--format", "{{.Id}}", SIDECAR_IMAGE])) === null)
    await runDocker(["pull", SIDECAR_IMAGE, ...sidecarPlatform()]);
  const sidecarArgs = ["--build-arg", `IMAGE=${SIDECAR_IMAGE}`, ...sidecarPlatform()];
  await build("sidecar", [...sidecarArgs, "-f", join(directory, "sidecar.Dockerfile"), directory]);
  return images;
}

function sidecarPlatform(): string[] {
  const platform = process.env["MINIFLARE_CONTAINER_EGRESS_IMAGE_PLATFORM"];
  return platform === undefined ? [] : ["--platform", platform];
}
