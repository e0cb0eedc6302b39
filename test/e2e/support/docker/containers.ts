// The containers and images of a project in the Docker daemon of the tests.

import { execFileSync, spawnSync } from "node:child_process";
import { type ContainerKind, containerLabel, imageNames } from "../../../../container/local/docker-images.ts";
import { projectIdOf } from "../../../../container/local/engine-choice.ts";

/** Stopped ones too. */
export function containerIds(kind: ContainerKind, stateDir: string): string[] {
  const label = containerLabel(kind, projectIdOf(stateDir));
  const output = execFileSync("docker", ["ps", "--all", "--quiet", "--no-trunc", "--filter", `label=${label}`]);
  return output
    .toString()
    .split("\n")
    .filter((id) => id !== "");
}

/** A server that was ended by force leaves its containers to the next one, which a test may not start. */
export function removeContainers(stateDir: string): void {
  const ids = (["machine", "sidecar"] as const).flatMap((kind) => containerIds(kind, stateDir));
  if (ids.length > 0) spawnSync("docker", ["rm", "--force", "--volumes", ...ids]);
}

/** Removes their names. What other images have in common with them stays. A server that did not start may have none. */
export function removeImages(stateDir: string): void {
  spawnSync("docker", ["image", "rm", "--no-prune", ...Object.values(imageNames(projectIdOf(stateDir)))]);
}

/** The address of the host in the network of the containers. */
export function bridgeAddress(): string {
  const format = "{{range .IPAM.Config}}{{.Gateway}}{{end}}";
  return execFileSync("docker", ["network", "inspect", "bridge", "--format", format]).toString().trim();
}
