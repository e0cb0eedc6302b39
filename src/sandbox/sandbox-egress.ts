// The outgoing requests of one sandbox: judges them by its settings, counts them by host, and reports refusals.

import type { HostActivity } from "../egress/host-activity.ts";
import { HostActivityLog, type Sql } from "../egress/host-activity-log.ts";
import { type EgressBounds, judge } from "../egress/policy.ts";
import type { EgressAdmission, EgressRequest, EgressSettlement } from "../egress/policy-service.ts";
import { refusalNotice } from "../egress/refusal.ts";
import type { SandboxIdentity } from "./object-name.ts";
import type { SettingsStore } from "./settings/settings-store.ts";

interface SandboxEgressParts {
  sql: Sql;
  identity: SandboxIdentity;
  /** Read for each request, so that a change applies to the next request of a running program. */
  settings: Pick<SettingsStore, "current">;
  bounds: EgressBounds;
}

export class SandboxEgress {
  readonly #parts: SandboxEgressParts;
  readonly #log: HostActivityLog;

  constructor(parts: SandboxEgressParts) {
    this.#parts = parts;
    this.#log = new HostActivityLog(parts.sql);
  }

  admit(request: EgressRequest): EgressAdmission {
    const { identity, settings, bounds } = this.#parts;
    const verdict = judge(request, settings.current.egress, bounds);
    // An allowed request is counted only when it is settled, because the platform delays a response until writes are stored.
    if (!verdict.allowed) this.#log.add({ ...request, verdict: verdict.reason, bytes: 0 });
    return { verdict, principal: identity.principal, sandbox: identity.name };
  }

  settle(settlement: EgressSettlement): void {
    this.#log.add(settlement);
  }

  /**
   * The refusals since the last call, each returned once; null when there were none. `audience` is that of host-activity-log.ts.
   */
  takeNotice(audience: string): string | null {
    return refusalNotice(this.#log.drainRefusals(audience));
  }

  hosts(): HostActivity[] {
    return this.#log.list();
  }

  clear(): void {
    this.#log.clear();
  }
}
