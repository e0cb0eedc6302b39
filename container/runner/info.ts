// info: which machine this is and whether it has work.

import type { InfoRequest, InfoResult } from "../../src/contract/info.ts";
import { CONTRACT_VERSION } from "../../src/contract/operation.ts";
import { type Result, succeed } from "../../src/contract/result.ts";
import type { Machine } from "./runner-context.ts";

export const info = (_request: InfoRequest, machine: Machine): Result<InfoResult> =>
  succeed({
    boot_id: machine.bootId,
    contract_version: CONTRACT_VERSION,
    live_processes: machine.registry.liveCount(),
    restored: machine.checkpoints.restored,
  });
