// A Docker daemon as the engine. workerd creates the containers and Miniflare removes them; what remains to be done is to stop
// the machines before the Worker, and to remove the containers that a server left behind when it was ended by force.

import { readDocker } from "./docker-client.ts";
import { buildImages, type ContainerKind, containerLabel } from "./docker-images.ts";
import type { Engine } from "./engine.ts";
import type { EngineOptions } from "./engine-process.ts";
import { printStep } from "./print-step.ts";

/** The time that a machine has between SIGTERM and SIGKILL. `npm start` promises to end within 5 s, removals included. */
const STOP_SECONDS = "2";

/** Removes the containers of earlier servers of the project: the caller holds its lock, so none of them is in use. */
export async function startDockerEngine({ projectDir, projectId }: EngineOptions): Promise<Engine> {
  const images = await printStep("Building the image", () => buildImages(projectDir, projectId));
  const containers = async (kind: ContainerKind): Promise<string[]> => {
    const filter = `label=${containerLabel(kind, projectId)}`;
    const ids = await readDocker(["ps", "--all", "--quiet", "--no-trunc", "--filter", filter]);
    return (ids ?? "").split("\n").filter((id) => id !== "");
  };
  const removeContainers = async (): Promise<void> => {
    const ids = [...(await containers("machine")), ...(await containers("sidecar"))];
    if (ids.length > 0) await readDocker(["rm", "--force", "--volumes", ...ids]);
  };
  await removeContainers();
  return {
    socket: await daemonSocket(),
    images,
    workerEnvironment: {},
    ended: Promise.withResolvers<void>().promise,
    stop: async () => {
      const machines = await containers("machine");
      if (machines.length > 0) await readDocker(["stop", "-t", STOP_SECONDS, ...machines]);
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
