// The interface through which egress asks a sandbox for verdicts and reports outcomes. The sandbox's Durable Object
// implements it.

import type { HostActivity } from "./host-activity.ts";
import type { HostPort, Verdict } from "./policy.ts";

export interface EgressPolicyService {
  /** Judges one request. A refusal is counted, and the audience's next answer reports it. */
  admitEgress(request: EgressRequest): Promise<EgressAdmission>;
  /** Counts the outcome of an admitted request. If the runtime refused it, the audience's next answer reports that. */
  settleEgress(settlement: EgressSettlement): Promise<void>;
}

export interface EgressRequest extends HostPort {
  /** Whose answers report a refusal: MACHINE_AUDIENCE or the id of one isolate run (host-activity-log.ts). */
  audience: string;
}

export interface EgressAdmission {
  verdict: Verdict;
  principal: string;
  sandbox: string;
}

export type EgressSettlement = EgressRequest & Pick<HostActivity, "verdict" | "bytes">;
