// What one sandbox requested lately of one host and port, with one outcome.

import * as z from "zod";

export const HostActivity = z.object({
  host: z.string(),
  port: z.number().int(),
  /** `allowed`; `unreachable` for an allowed request whose connection failed; otherwise the reason of the refusal. */
  verdict: z.enum(["allowed", "unreachable", "never", "port", "ceiling", "denied", "unlisted"]),
  count: z.number().int(),
  bytes: z.number().int(),
  /** Epoch milliseconds. */
  last_at: z.number().int(),
});
export type HostActivity = z.infer<typeof HostActivity>;

/** A host as it is logged. No name is longer (RFC 1035, section 2.3.4), but a program can ask for one of any length. */
export const hostInLog = (host: string): string => host.slice(0, 253);
