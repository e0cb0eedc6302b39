// Why the runtime could not reach a host, and the words for it.

import * as z from "zod";

/** `restricted`: the name leads to an address that is never reached. Of most, the platform says no more than `unknown`. */
export const Fault = z.enum(["restricted", "no-name", "no-trust", "no-answer", "unknown"]);
export type Fault = z.infer<typeof Fault>;

export const faultWords: Record<Exclude<Fault, "restricted">, string> = {
  "no-name": "there is no such name",
  "no-trust": "it does not speak TLS, or not with a certificate that is trusted",
  "no-answer": "it does not answer",
  unknown: "its name is unknown or leads to a private network, or it does not answer",
};
