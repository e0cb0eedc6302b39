// What goes out on behalf of one sandbox: judged by its settings, counted by host, and told of where it was refused.

import type { HostActivity } from "../egress/host-activity.ts";
import { HostActivityLog, type Sql } from "../egress/host-activity-log.ts";
import { type EgressBounds, type EgressPolicy, judge } from "../egress/policy.ts";
import type { EgressAdmission, EgressRequest, EgressSettlement } from "../egress/policy-service.ts";
import { refusalNotice } from "../egress/refusal.ts";
import type { SandboxIdentity } from "./object-name.ts";

interface SandboxEgressOptions {
  sql: Sql;
  identity: SandboxIdentity;
  /** Of this moment, so that a change of it holds for the next request of a running program. */
  policy(): EgressPolicy;
  bounds(): EgressBounds;
}

export class SandboxEgress {
  readonly #options: SandboxEgressOptions;
  readonly #seen: HostActivityLog;

  constructor(options: SandboxEgressOptions) {
    this.#options = options;
    this.#seen = new HostActivityLog(options.sql);
  }

  admit(request: EgressRequest): EgressAdmission {
    const { identity, policy, bounds } = this.#options;
    const verdict = judge(request, policy(), bounds());
    // What is let through is added when it is settled: the platform holds an answer until what was written before is stored.
    if (!verdict.allowed) this.#seen.add({ ...request, verdict: verdict.reason, bytes: 0 });
    return { verdict, principal: identity.principal, sandbox: identity.name };
  }

  settle(settlement: EgressSettlement): void {
    this.#seen.add(settlement);
  }

  /** What was refused since the last time, told once; null for nothing. `audience` as in host-activity-log.ts. */
  takeNotice(audience: string): string | null {
    return refusalNotice(this.#seen.drainRefusals(audience));
  }

  hosts(): HostActivity[] {
    return this.#seen.list();
  }

  forget(): void {
    this.#seen.clear();
  }
}
