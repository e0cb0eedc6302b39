// Constructs the parts of one sandbox, in the order of their dependencies.

import type { Env } from "../config/env.ts";
import { resolveCheckpointing, resolveLifetime } from "../config/settings.ts";
import { resolveEgress } from "../egress/settings.ts";
import { ChangeTracker } from "./checkpoints/change-tracker.ts";
import { CheckpointKeeper } from "./checkpoints/checkpoint-keeper.ts";
import { LayerStore } from "./checkpoints/layer-store.ts";
import { FilePreparation } from "./checkpoints/prepare-machine.ts";
import { SandboxFiles } from "./checkpoints/sandbox-files.ts";
import type { CheckpointStorage } from "./checkpoints/store-files.ts";
import { ExecCoordinator } from "./exec/exec-coordinator.ts";
import { Activity } from "./machine/activity.ts";
import { MachineController } from "./machine/machine-controller.ts";
import type { MachinePlatform } from "./machine/machine-platform.ts";
import { PortRunnerClient } from "./machine/runner-client.ts";
import { identityOf, type SandboxIdentity } from "./object-name.ts";
import { DurablePreviewDirectory } from "./previews/preview-directory.ts";
import { PreviewRegistry } from "./previews/preview-registry.ts";
import { SandboxPreviews } from "./previews/sandbox-previews.ts";
import { SandboxAccount } from "./sandbox-account.ts";
import { SandboxAdmin } from "./sandbox-admin.ts";
import { SandboxEgress } from "./sandbox-egress.ts";
import { SandboxLifecycle } from "./sandbox-lifecycle.ts";
import { SandboxOperations } from "./sandbox-operations.ts";
import { openStores, type SandboxStores } from "./sandbox-stores.ts";
import { StatusReporter } from "./status-reporter.ts";
import { SandboxTransfers } from "./transfer/sandbox-transfers.ts";

type ObjectState = Pick<DurableObjectState<object>, "storage" | "id">;

export type SandboxParts = ReturnType<typeof assembleSandbox>;

export function assembleSandbox(platform: MachinePlatform, ctx: ObjectState, env: Env) {
  const stores = openStores(ctx.storage, ctx.id.name);
  const identity = identityOf(stores.record.objectName);
  const account = new SandboxAccount(env.ACCOUNT, identity, stores.record);
  const machine = assembleMachine({ platform, stores, account }, ctx, env);
  const services = assembleServices({ platform, stores, account, identity, ...machine }, ctx, env);
  return { stores, account, ...machine, ...services };
}

interface Foundation {
  platform: MachinePlatform;
  stores: SandboxStores;
  account: SandboxAccount;
}

/** The machine, with its files and its commands. */
function assembleMachine({ platform, stores, account }: Foundation, ctx: ObjectState, env: Env) {
  const { record, notices, processes, settings, ledger, checkpointState: state } = stores;
  const { afterMs, extraDirectories } = resolveCheckpointing(env);
  const layers = new LayerStore(env.CHECKPOINTS, ctx.id.toString());
  const storage: CheckpointStorage = { index: stores.checkpointIndex, layers, state, extraDirectories };
  const runner = new PortRunnerClient(platform);
  const changes = new ChangeTracker(ctx.storage.kv);
  const preparation = new FilePreparation({ storage, runner, changes, processes, record });
  const machine = new MachineController({ platform, admission: account, preparation, record, notices });
  const keeper = new CheckpointKeeper({ storage, machine, record });
  const files = new SandboxFiles({
    ...{ platform, machine, runner, keeper, changes, processes, state, notices, afterMs },
  });
  const execs = new ExecCoordinator({ platform, machine, ledger, settings });
  return { machine, storage, keeper, files, execs };
}

type Services = Foundation & ReturnType<typeof assembleMachine> & { identity: SandboxIdentity };

/** What the methods of the Durable Object delegate to. */
function assembleServices(parts: Services, ctx: ObjectState, env: Env) {
  const { platform, stores, identity, machine, execs, files, account } = parts;
  const { record, settings, notices, previews: table } = stores;
  const lifetime = resolveLifetime(env);
  const { bounds } = resolveEgress(env);
  const activity = new Activity(platform);
  const egress = new SandboxEgress({ sql: ctx.storage.sql, identity, settings, bounds });
  const lifecycle = new SandboxLifecycle({ ...parts, activity, settings, lifetime });
  const reporter = new StatusReporter({
    ...{ name: identity.name, platform, machine, activity, account, record },
    ...{ previews: table, checkpoints: stores.checkpointIndex },
  });
  const directory = new DurablePreviewDirectory(env.PREVIEW);
  const registry = new PreviewRegistry(table, directory, record.objectName);
  const admin = new SandboxAdmin({
    ...{ stores, machine, lifecycle, previews: registry, egress, files, account, reporter },
    bounds: { ...lifetime, egress: bounds },
  });
  const operations = new SandboxOperations({ ...parts, lifecycle, activity, egress, notices });
  const transfers = new SandboxTransfers({ machine, files, activity });
  const previews = new SandboxPreviews({ platform, machine, execs, files, record, activity, table });
  return { activity, egress, lifecycle, reporter, admin, operations, transfers, previews };
}
