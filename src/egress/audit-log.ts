// The audit log of what goes out: one record for each request, which names the host and never a path, a header or a body.

import type { SeenHost } from "./seen-host.ts";

export interface EgressRecord {
  from: "machine" | "isolate";
  principal: string;
  sandbox: string;
  host: string;
  port: number;
  verdict: SeenHost["verdict"];
  /** Of both bodies together. */
  bytes: number;
}

export const logEgress = (record: EgressRecord): void => console.log(JSON.stringify({ event: "egress", ...record }));
