// What the operations share: the options, the parts that commands are started with, and the records of processes and checkpoints.

import { randomUUID } from "node:crypto";
import { CheckpointState } from "./checkpoint/state.ts";
import type { RunnerOptions } from "./options.ts";
import { Census } from "./process/census.ts";
import { readDescriptorsMax } from "./process/descriptors-max.ts";
import { findMemoryFiles, type MemoryFiles } from "./process/memory-use.ts";
import { OomKillCounter } from "./process/oom-kills.ts";
import { OriginTags } from "./process/origin-tag.ts";
import { PipePool } from "./process/pipe-pool.ts";
import { ProcessRegistry } from "./process/process-registry.ts";

export interface RunnerContext extends RunnerOptions {
  /** New with each start of the runner. */
  readonly bootId: string;
  readonly pipes: PipePool;
  readonly tags: OriginTags;
  readonly oomKills: OomKillCounter;
  /** How many descriptors the runner may have; null where the system does not say. */
  readonly descriptorsMax: number | null;
  readonly memoryFiles: MemoryFiles | null;
  readonly registry: ProcessRegistry;
  readonly checkpoints: CheckpointState;
}

export function createContext(options: RunnerOptions): RunnerContext {
  return {
    ...options,
    bootId: randomUUID(),
    pipes: new PipePool(),
    tags: new OriginTags(),
    oomKills: new OomKillCounter(options.memoryEventFiles),
    descriptorsMax: readDescriptorsMax(),
    memoryFiles: findMemoryFiles(),
    registry: new ProcessRegistry(new Census()),
    checkpoints: new CheckpointState(options),
  };
}
