// The audit log of what goes out: one record for each request, which names the host and never a path, a header or a body. It
// goes to the Worker's log: Workers Logs when deployed, a file with `npm start` (container/local/egress-log.ts). Generated
// code has a console of its own (isolate/harness) and cannot write here.
//
// A record is of a request, not of a connection: a request is what is judged, by its own Host, and what a Worker sees. A
// connection that is kept alive may carry many, under a policy that changes between them, and to more than one host.

import * as z from "zod";
import { SeenHost } from "./host-activity.ts";

export const EgressRecord = z.object({
  event: z.literal("egress"),
  from: z.enum(["machine", "isolate"]),
  principal: z.string(),
  sandbox: z.string(),
  host: SeenHost.shape.host,
  port: SeenHost.shape.port,
  verdict: SeenHost.shape.verdict,
  /** Of both bodies together. One whose length is announced counts whole, one without is counted as it passes; see README.md. */
  bytes: SeenHost.shape.bytes,
});
export type EgressRecord = z.infer<typeof EgressRecord>;

export const logEgress = (record: Omit<EgressRecord, "event">): void =>
  console.log(JSON.stringify({ event: "egress", ...record } satisfies EgressRecord));
