// A Docker daemon as the engine. workerd creates the containers and Miniflare removes them; what remains to be done is to stop
// the machines before the Worker, and to remove the containers that a server left behind when it was ended by force.

import { readDocker } from "./docker-client.ts";
import { buildImages, type ContainerKind, containerLabel } from "./docker-images.ts";
import { limitContainers } from "./docker-limits.ts";
import type { Engine } from "./engine.ts";
import type { EngineOptions } from "./engine-process.ts";
import { printStep } from "./print-step.ts";

/** Each try takes at least the time of two calls of the client. */
const REMOVE_TRIES = 50;

/** Removes the containers of earlier servers of the project: the caller holds its lock, so none of them is in use. */
export async function startDockerEngine({ projectDir, projectId }: EngineOptions): Promise<Engine> {
  const images = await printStep("Building the image", () => buildImages(projectDir, projectId));
  const containers = async (kind: ContainerKind): Promise<string[]> => {
    const filter = `label=${containerLabel(kind, projectId)}`;
    const ids = await readDocker(["ps", "--all", "--quiet", "--no-trunc", "--filter", filter]);
    return (ids ?? "").split("\n").filter((id) => id !== "");
  };
  const removeContainers = async (): Promise<void> => {
    // Miniflare may be removing them too, and a removal that is under way fails at once.
    for (let tries = 0; tries < REMOVE_TRIES; tries += 1) {
      const ids = [...(await containers("machine")), ...(await containers("sidecar"))];
      if (ids.length === 0) return;
      await readDocker(["rm", "--force", "--volumes", ...ids]);
    }
  };
  await removeContainers();
  const limiting = limitContainers(projectId);
  return {
    socket: await daemonSocket(),
    images,
    keepsEgressHostname: false,
    workerEnvironment: {},
    ended: Promise.withResolvers<void>().promise,
    stop: async (ms) => {
      const machines = await containers("machine");
      if (machines.length > 0) await readDocker(["stop", "-t", String(Math.floor(ms / 1000)), ...machines]);
      await limiting.stop(0);
    },
    cleanUp: removeContainers,
  };
}

async function daemonSocket(): Promise<string> {
  const setting = process.env["WRANGLER_DOCKER_HOST"] ?? process.env["DOCKER_HOST"];
  if (setting !== undefined && setting !== "") return setting;
  const socket = await readDocker(["context", "inspect", "--format", "{{.Endpoints.docker.Host}}"]);
  // A client that does not know contexts uses the default socket.
  return socket || "unix:///var/run/docker.sock";
}
