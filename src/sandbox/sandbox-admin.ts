// Carries out the actions that admin-actions.ts lists, for one sandbox, inside its Durable Object.

import { limits } from "../contract/limits.ts";
import { type Result, succeed } from "../contract/result.ts";
import type { UsageResult } from "../contract/usage.ts";
import type { AdminAction, AdminRequest, AdminValue, Preview, SandboxDetails } from "./admin-actions.ts";
import type { SandboxFiles } from "./checkpoints/sandbox-files.ts";
import type { MachineController } from "./machine/machine-controller.ts";
import type { PreviewRegistry } from "./previews/preview-registry.ts";
import type { SandboxAccount } from "./sandbox-account.ts";
import type { SandboxEgress } from "./sandbox-egress.ts";
import type { SandboxLifecycle } from "./sandbox-lifecycle.ts";
import { clearStores, type SandboxStores } from "./sandbox-stores.ts";
import type { SettingBounds } from "./settings/group.ts";
import { changeSettings, describeSettings, type SettingsChange } from "./settings/sandbox-settings.ts";
import type { StatusReporter } from "./status-reporter.ts";

interface SandboxAdminParts {
  stores: SandboxStores;
  machine: MachineController;
  lifecycle: SandboxLifecycle;
  previews: PreviewRegistry;
  egress: SandboxEgress;
  files: SandboxFiles;
  account: SandboxAccount;
  reporter: StatusReporter;
  bounds: SettingBounds;
}

export class SandboxAdmin {
  readonly #parts: SandboxAdminParts;

  constructor(parts: SandboxAdminParts) {
    this.#parts = parts;
  }

  run<Action extends AdminAction>(action: Action, request: AdminRequest<Action>): Promise<Result<AdminValue<Action>>> {
    const actions: { [Name in AdminAction]: (request: AdminRequest<Name>) => Promise<Result<AdminValue<Name>>> } = {
      status: async () => succeed(await this.#details()),
      configure: (change) => this.#configure(change),
      stop: () => this.#stop(),
      destroy: () => this.#destroy(),
      expose: (wanted) => this.#expose(wanted),
      unexpose: ({ port }) => this.#unexpose(port),
    };
    return actions[action](request);
  }

  async #details(): Promise<SandboxDetails> {
    const { stores, machine, reporter, egress, files, bounds } = this.#parts;
    const usage = await this.#usage();
    if (usage !== null && usage.disk_bytes !== null) stores.record.diskBytes = usage.disk_bytes;
    return {
      ...reporter.cachedStatus(),
      is_responding: !machine.isThere || machine.isResponding,
      running_processes: usage?.live_processes ?? 0,
      disk: usage?.disk ?? null,
      gaps: usage?.gaps ?? [],
      files: files.status,
      hosts: egress.hosts(),
      settings: describeSettings(stores.settings.current, bounds),
    };
  }

  async #configure(change: SettingsChange): Promise<Result<SandboxDetails>> {
    const { stores, account, lifecycle, reporter, bounds } = this.#parts;
    const changed = changeSettings(stores.settings.current, change, bounds);
    if (!changed.ok) return changed;
    const registered = await account.ensureRegistered();
    if (!registered.ok) return registered;
    stores.settings.save(changed.value);
    await lifecycle.applySettings();
    await reporter.report();
    return succeed(await this.#details());
  }

  async #stop(): Promise<Result<AdminValue<"stop">>> {
    const { machine, lifecycle } = this.#parts;
    const usage = await this.#usage();
    if (usage === null && !machine.isThere && !machine.isStarting) {
      return succeed({ was_up: false, ended_processes: 0, is_forced: false });
    }
    const stopped = await lifecycle.stopForRequest();
    if (!stopped.ok) return stopped;
    return succeed({ was_up: true, ended_processes: usage?.live_processes ?? 0, ...stopped.value });
  }

  async #destroy(): Promise<Result<AdminValue<"destroy">>> {
    const { stores, lifecycle, previews, egress, account } = this.#parts;
    const existed = stores.record.createdAt !== null;
    const usage = await this.#usage();
    const previewCount = await previews.unexposeAll();
    await lifecycle.kill();
    egress.clear();
    clearStores(stores);
    const unregistered = await account.unregister();
    if (!unregistered.ok) return unregistered;
    return succeed({ existed, ended_processes: usage?.live_processes ?? 0, previews: previewCount });
  }

  async #expose(wanted: AdminRequest<"expose">): Promise<Result<Preview>> {
    const { account, previews, reporter } = this.#parts;
    const registered = await account.ensureRegistered();
    if (!registered.ok) return registered;
    const exposed = await previews.expose(wanted);
    if (exposed.ok) await reporter.report();
    return exposed;
  }

  async #unexpose(port: number): Promise<Result<Preview>> {
    const { previews, reporter } = this.#parts;
    const unexposed = await previews.unexpose(port);
    if (unexposed.ok) await reporter.report();
    return unexposed;
  }

  /** Resolves to null when no machine is up, or it does not respond in time. */
  async #usage(): Promise<UsageResult | null> {
    const { machine } = this.#parts;
    if (!machine.isThere) return null;
    const up = await machine.upWithin(limits.usageMaxMs);
    if (!up.ok) return null;
    const usage = await machine.ask("usage", {});
    return usage.ok ? usage.value : null;
  }
}
