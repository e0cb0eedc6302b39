// A host that a sandbox reached or was refused lately.

import * as z from "zod";

export const SeenHost = z.object({
  host: z.string(),
  port: z.number().int(),
  /** `unreachable` was allowed, but there was no connection. */
  verdict: z.enum(["allowed", "unreachable", "never", "port", "ceiling", "denied", "unlisted"]),
  count: z.number().int(),
  bytes: z.number().int(),
  /** Epoch milliseconds. */
  last_at: z.number().int(),
});
export type SeenHost = z.infer<typeof SeenHost>;
