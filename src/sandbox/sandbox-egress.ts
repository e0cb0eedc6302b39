// What goes out on behalf of one sandbox: judged by its settings, counted by host, and reported where it was refused.

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
    // A request that is let through is counted when it is settled: the platform holds an answer back until writes are stored.
    if (!verdict.allowed) this.#log.add({ ...request, verdict: verdict.reason, bytes: 0 });
    return { verdict, principal: identity.principal, sandbox: identity.name };
  }

  settle(settlement: EgressSettlement): void {
    this.#log.add(settlement);
  }

  /** What was refused since the last time, answered once; null for nothing. `audience` as in host-activity-log.ts. */
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
