// What the way out asks of the sandbox on whose behalf something goes out, as its Durable Object answers.

import type { SeenHost } from "./host-activity.ts";
import type { Destination, Verdict } from "./policy.ts";

export interface EgressGate {
  /** Judges one request. A refusal is counted, and told with the next answer. */
  admitEgress(request: EgressRequest): Promise<EgressAdmission>;
  /** What became of one that was let through: it is counted now, and told of where the runtime refused it. */
  settleEgress(settlement: EgressSettlement): Promise<void>;
}

export interface EgressRequest extends Destination {
  /** Whose answer is to tell of a refusal (seen-hosts.ts). */
  teller: string;
}

export interface EgressAdmission {
  verdict: Verdict;
  principal: string;
  sandbox: string;
}

export type EgressSettlement = EgressRequest & Pick<SeenHost, "verdict" | "bytes">;
