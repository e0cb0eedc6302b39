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

/** Removes their names. What other images have in common with them stays. A server that did not start may have none. */
export function removeImages(stateDir: string): void {
  spawnSync("docker", ["image", "rm", "--no-prune", ...Object.values(imageNames(projectIdOf(stateDir)))]);
}
