// Carries out what care.ts lists, for one sandbox, inside its Durable Object.

import type { AccountObject } from "../account/account-object.ts";
import { limits } from "../contract/limits.ts";
import { fail, type Result, succeed } from "../contract/result.ts";
import type { UsageResult } from "../contract/usage.ts";
import type { HostActivity } from "../egress/host-activity.ts";
import type { CareAction, CareRequest, CareValue, Preview, SandboxDetails, SandboxStatus } from "./admin-actions.ts";
import { formatPreviewLabel, newPreviewToken, parsePreviewLabel } from "./previews/preview-label.ts";
import type { PreviewObject } from "./previews/preview-object.ts";
import type { PreviewTable } from "./previews/preview-table.ts";
import type { SettingBounds } from "./settings/group.ts";
import { changeSettings, describeSettings, type SettingsChange } from "./settings/sandbox-settings.ts";
import type { SettingsStore } from "./settings/settings-store.ts";
import type { Kept } from "./storage/sandbox-record.ts";

export interface CareHost {
  name: string;
  /** Of its Durable Object: where a preview's token leads. */
  objectName: string;
  kept: Kept;
  settings: SettingsStore;
  previews: PreviewTable;
  bounds: SettingBounds;
  /** Reached or refused lately. */
  seenHosts(): HostActivity[];
  account(): DurableObjectStub<AccountObject>;
  lookup(token: string): Promise<DurableObjectStub<PreviewObject>>;
  state(): SandboxStatus["state"];
  usedAt(): number | null;
  checkpointAt(): number | null;
  /** Null when no machine is up. */
  usage(): Promise<UsageResult | null>;
  /** Stores the files, and ends whatever runs; ends nothing when they cannot be stored. */
  stop(): Promise<Result<null>>;
  /** Ends the machine at once, and forgets everything that is kept about the sandbox but its checkpoints. */
  destroy(): Promise<void>;
  settingsChanged(): Promise<void>;
  /** What the account shows of it is not so any more. */
  report(): Promise<void>;
}

export class SandboxCare {
  readonly #host: CareHost;

  constructor(host: CareHost) {
    this.#host = host;
  }

  do<Action extends CareAction>(action: Action, request: CareRequest<Action>): Promise<Result<CareValue<Action>>> {
    const answers: { [Name in CareAction]: (request: CareRequest<Name>) => Promise<Result<CareValue<Name>>> } = {
      status: async () => succeed(await this.details()),
      configure: (change) => this.#configure(change),
      stop: () => this.#stop(),
      destroy: () => this.#destroy(),
      expose: (wanted) => this.#expose(wanted),
      unexpose: ({ port }) => this.#unexpose(port),
    };
    return answers[action](request);
  }

  /** What is known without asking anybody. */
  known(): SandboxStatus {
    const { name, state, kept, usedAt, checkpointAt, previews } = this.#host;
    return {
      name,
      state: state(),
      created_at: kept.createdAt,
      last_used_at: usedAt(),
      disk_bytes: kept.diskBytes,
      checkpoint_at: checkpointAt(),
      running_processes: 0,
      previews: previews.list(Date.now()),
    };
  }

  async details(): Promise<SandboxDetails> {
    const usage = await this.#host.usage();
    if (usage !== null && usage.disk_bytes !== null) this.#host.kept.diskBytes = usage.disk_bytes;
    return {
      ...this.known(),
      running_processes: usage?.live_processes ?? 0,
      hosts: this.#host.seenHosts(),
      settings: describeSettings(this.#host.settings.current, this.#host.bounds),
    };
  }

  /** Makes sure that the sandbox is one of its owner's, within the quota. */
  async exist(): Promise<Result<null>> {
    if (this.#host.kept.createdAt !== null) return succeed(null);
    const entered = await this.#host.account().enter(this.#host.name);
    if (entered.ok) this.#host.kept.markCreated();
    return entered;
  }

  async #configure(change: SettingsChange): Promise<Result<SandboxDetails>> {
    const { settings, bounds } = this.#host;
    const changed = changeSettings(settings.current, change, bounds);
    if (!changed.ok) return changed;
    const exists = await this.exist();
    if (!exists.ok) return exists;
    settings.save(changed.value);
    await this.#host.settingsChanged();
    await this.#host.report();
    return succeed(await this.details());
  }

  async #stop(): Promise<Result<CareValue<"stop">>> {
    const usage = await this.#host.usage();
    if (usage === null && this.#host.state() === "asleep") return succeed({ was_up: false, ended_processes: 0 });
    const stopped = await this.#host.stop();
    if (!stopped.ok) return stopped;
    return succeed({ was_up: true, ended_processes: usage?.live_processes ?? 0 });
  }

  async #destroy(): Promise<Result<CareValue<"destroy">>> {
    const { kept, name } = this.#host;
    const existed = kept.createdAt !== null;
    const usage = await this.#host.usage();
    const previews = this.#host.previews.list(Date.now());
    for (const { port } of previews) await this.#unexpose(port);
    await this.#host.destroy();
    await this.#host.account().leave(name);
    return succeed({ existed, ended_processes: usage?.live_processes ?? 0, previews: previews.length });
  }

  async #expose({ port, wake, command, expires_in_ms }: CareRequest<"expose">): Promise<Result<Preview>> {
    const { previews } = this.#host;
    const exists = await this.exist();
    if (!exists.ok) return exists;
    const known = previews.at(port, Date.now());
    if (known === null && previews.list(Date.now()).length >= limits.previewsMax) {
      return fail({
        reason: "quota_exceeded",
        subject: "previews of a sandbox",
        limit: limits.previewsMax,
        advice: 'Take one back: sandbox {action: "unexpose", port: …}.',
      });
    }
    const token = (known === null ? null : parsePreviewLabel(known.label)?.token) ?? newPreviewToken();
    const preview = { port, wake, command, expires_at: Date.now() + expires_in_ms };
    const lookup = await this.#host.lookup(token);
    await lookup.assign(this.#host.objectName, preview.expires_at);
    previews.put(token, preview);
    await this.#host.report();
    return succeed({ ...preview, label: formatPreviewLabel({ port, token }) });
  }

  async #unexpose(port: number): Promise<Result<Preview>> {
    const { previews } = this.#host;
    const preview = previews.at(port, Date.now());
    if (preview === null) return fail({ reason: "not_found", kind: "preview", name: String(port) });
    // Here it ends; the lookup only follows.
    previews.delete(port);
    const token = parsePreviewLabel(preview.label)?.token;
    if (token !== undefined) await (await this.#host.lookup(token)).revoke();
    await this.#host.report();
    return succeed(preview);
  }
}
