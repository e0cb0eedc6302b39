// The audit log of outgoing requests: one record for each, with the host and never a path, a header or a body. Records go to
// the Worker's log: Workers Logs when deployed, a file with `npm start` (container/local/egress-log.ts). Generated code has
// a separate console (isolate/harness) and cannot write here.
//
// A record describes a request and not a connection, because requests are what the policy judges, each by its own Host. A
// connection that is kept alive can carry requests to several hosts, under a policy that changes between them.

import * as z from "zod";
import { HostActivity, hostInLog } from "./host-activity.ts";

export const EgressRecord = z.object({
  event: z.literal("egress"),
  from: z.enum(["machine", "isolate"]),
  principal: z.string(),
  sandbox: z.string(),
  host: HostActivity.shape.host,
  port: HostActivity.shape.port,
  verdict: HostActivity.shape.verdict,
  /**
   * Bytes of the request and response bodies together. A declared length counts in full; otherwise bytes are counted as they
   * pass.
   */
  bytes: HostActivity.shape.bytes,
});
export type EgressRecord = z.infer<typeof EgressRecord>;

export const logEgress = ({ host, ...record }: Omit<EgressRecord, "event">): void =>
  console.log(JSON.stringify({ event: "egress", ...record, host: hostInLog(host) } satisfies EgressRecord));
