// What all operations share: the pieces a command is made of, and the record of every process there was.

import { randomUUID } from "node:crypto";
import { CheckpointState } from "./checkpoint/state.ts";
import type { RunnerOptions } from "./options.ts";
import { Census } from "./process/census.ts";
import { MemoryKills } from "./process/memory-kills.ts";
import { OriginTags } from "./process/origin-tag.ts";
import { PipePool } from "./process/pipe-pool.ts";
import { Registry } from "./process/process-registry.ts";

export interface Machine {
  readonly options: RunnerOptions;
  /** Made anew by each start of the runner. */
  readonly bootId: string;
  readonly pipes: PipePool;
  readonly tags: OriginTags;
  readonly memoryKills: MemoryKills;
  readonly registry: Registry;
  readonly checkpoints: CheckpointState;
}

export function createMachine(options: RunnerOptions): Machine {
  return {
    options,
    bootId: randomUUID(),
    pipes: new PipePool(),
    tags: new OriginTags(),
    memoryKills: new MemoryKills(options.memoryEventFiles),
    registry: new Registry(new Census()),
    checkpoints: new CheckpointState(options.stateDirectory),
  };
}
