// The part of Docker's create request that the engine uses, parsed. Unknown keys are ignored: workerd sends many.

import * as z from "zod";

export const ContainerSpec = z.object({
  Image: z.string().default(""),
  Env: z
    .array(z.string())
    .nullish()
    .transform((list) => list ?? []),
  Labels: z
    .record(z.string(), z.string())
    .nullish()
    .transform((labels) => labels ?? {}),
});
export type ContainerSpec = z.infer<typeof ContainerSpec>;

/** `NAME=value` entries as an object; one without `=` is a name to remove, which is nothing to do here. */
export const environmentOf = (spec: ContainerSpec): Record<string, string> =>
  Object.fromEntries(
    spec.Env.flatMap((entry) => {
      const at = entry.indexOf("=");
      return at > 0 ? [[entry.slice(0, at), entry.slice(at + 1)]] : [];
    }),
  );
