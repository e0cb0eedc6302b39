// info: the identity of this machine, and whether commands run in it.

import type { InfoRequest, InfoResult } from "../../src/contract/info.ts";
import { CONTRACT_VERSION } from "../../src/contract/operation.ts";
import { type Result, succeed } from "../../src/contract/result.ts";
import type { RunnerContext } from "./runner-context.ts";

export const info = (_request: InfoRequest, context: RunnerContext): Result<InfoResult> =>
  succeed({
    boot_id: context.bootId,
    contract_version: CONTRACT_VERSION,
    live_processes: context.registry.liveCount(),
    restored: context.checkpoints.restored,
  });
