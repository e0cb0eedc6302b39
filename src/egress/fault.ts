// Why the runtime could not connect to a host, and the text for each reason.

import * as z from "zod";

/** `restricted` means that the name resolves to a blocked address. For most faults the platform reports only `unknown`. */
export const Fault = z.enum(["restricted", "no-name", "no-trust", "no-answer", "unknown"]);
export type Fault = z.infer<typeof Fault>;

export const faultMessages: Record<Exclude<Fault, "restricted">, string> = {
  "no-name": "the name does not exist",
  "no-trust": "it does not speak TLS, or its certificate is not trusted",
  "no-answer": "it does not answer",
  unknown: "its name does not exist or resolves to a private network, or it does not answer",
};
