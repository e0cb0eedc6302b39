// usage: the size of /workspace and the home directory, which du counts within a time limit, the space of their disk, the
// number of live processes, and what the engine could not set up.

import { execFile } from "node:child_process";
import { limits } from "../../src/contract/limits.ts";
import { type Result, succeed } from "../../src/contract/result.ts";
import type { UsageRequest, UsageResult } from "../../src/contract/usage.ts";
import { diskSpace } from "./disk/disk-space.ts";
import type { RunnerContext } from "./runner-context.ts";

export async function usage(_request: UsageRequest, context: RunnerContext): Promise<Result<UsageResult>> {
  const { workspace, home, registry, gaps } = context;
  const [disk_bytes, disk] = await Promise.all([diskBytes([workspace, home]), diskSpace(workspace)]);
  return succeed({ disk_bytes, disk, live_processes: registry.liveCount(), gaps });
}

function diskBytes(directories: string[]): Promise<number | null> {
  return new Promise((resolve) => {
    const options = { timeout: limits.usageMaxMs, killSignal: "SIGKILL" } as const;
    execFile("du", ["-scxk", "--", ...directories], options, (error, stdout) => {
      // A file that is deleted while du runs makes du fail, although its total is still right.
      const kilobytes = /^(\d+)\ttotal$/m.exec(stdout)?.[1];
      resolve(kilobytes === undefined || error?.killed === true ? null : Number(kilobytes) * 1024);
    });
  });
}
