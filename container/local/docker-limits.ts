// Bounds what a machine in Docker may use of the host, as the built-in engine does. workerd creates containers without limits, so each
// gets them right after its start.

import { type MachineLimits, machineLimits } from "../engine/limits.ts";
import { readDocker, startDocker } from "./docker-client.ts";
import { containerLabel } from "./docker-images.ts";
import type { GuardedProcess } from "./guarded-process.ts";

/** Returns the process that watches for containers; until it is stopped, each of the project's machines is limited. */
export function limitContainers(projectId: string): GuardedProcess {
  const limits = limitArguments(machineLimits(process.env));
  const filters = ["--filter", "event=start", "--filter", `label=${containerLabel("machine", projectId)}`];
  return startDocker(["events", ...filters, "--format", "{{.ID}}"], (id) => {
    // What the client reports as an error comes here too.
    if (!/^[0-9a-f]{64}$/.test(id)) return;
    void readDocker(["update", ...limits, id]).then((output) => {
      // The container may have ended already.
      if (output === null)
        console.error(`Docker could not limit the memory and the processes of machine ${id.slice(0, 12)}.`);
    });
  });
}

/** Memory without swap, because a machine that swaps slows the whole host down. */
const limitArguments = ({ memoryBytes, processes }: MachineLimits): string[] => [
  ...["--memory", String(memoryBytes), "--memory-swap", String(memoryBytes), "--pids-limit", String(processes)],
];
