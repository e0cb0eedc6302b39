// The machine of one sandbox with its files and commands, assembled as in its Durable Object, on a real runner.

import { succeed } from "../../src/contract/result.ts";
import { ChangeTracker } from "../../src/sandbox/checkpoints/change-tracker.ts";
import { CheckpointKeeper } from "../../src/sandbox/checkpoints/checkpoint-keeper.ts";
import { LayerStore } from "../../src/sandbox/checkpoints/layer-store.ts";
import { FilePreparation } from "../../src/sandbox/checkpoints/prepare-machine.ts";
import { SandboxFiles } from "../../src/sandbox/checkpoints/sandbox-files.ts";
import type { CheckpointStorage } from "../../src/sandbox/checkpoints/store-files.ts";
import { ExecCoordinator } from "../../src/sandbox/exec/exec-coordinator.ts";
import { MachineController } from "../../src/sandbox/machine/machine-controller.ts";
import { PortRunnerClient } from "../../src/sandbox/machine/runner-client.ts";
import { openStores } from "../../src/sandbox/sandbox-stores.ts";
import { FakePlatform } from "./fake-platform.ts";
import { MemoryBucket } from "./memory-bucket.ts";
import { type MemoryStorage, memoryStorage } from "./memory-sql.ts";

interface Options {
  runner: { url: string };
  storage?: MemoryStorage;
  bucket?: MemoryBucket;
  platform?: FakePlatform;
}

export type SandboxUnderTest = ReturnType<typeof sandboxUnderTest>;

export const AFTER_MS = 2_000;

export function sandboxUnderTest({
  runner,
  storage = memoryStorage(),
  bucket = new MemoryBucket(),
  platform = new FakePlatform({ url: runner.url }),
}: Options) {
  const stores = openStores(storage, "alice/default");
  const { record, notices, processes, settings, ledger, checkpointState: state } = stores;
  const layers = new LayerStore(bucket, "object");
  const checkpoints: CheckpointStorage = { index: stores.checkpointIndex, layers, state, extraDirectories: [] };
  const client = new PortRunnerClient(platform);
  const changes = new ChangeTracker(storage.kv);
  const preparation = new FilePreparation({ storage: checkpoints, runner: client, changes, processes, record });
  const admission = { admit: async () => succeed(null) };
  const machine = new MachineController({ platform, admission, preparation, record, notices });
  const keeper = new CheckpointKeeper({ storage: checkpoints, machine, record });
  const files = new SandboxFiles({
    ...{ platform, machine, runner: client, keeper, changes, processes, state, notices, afterMs: AFTER_MS },
  });
  const execs = new ExecCoordinator({ platform, machine, ledger, settings });
  return { platform, storage, bucket, stores, machine, keeper, files, execs };
}
