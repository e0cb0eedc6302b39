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

/** The `NAME=value` entries. An entry without `=` asks Docker to remove a variable of the image; machines have none. */
export const environmentOf = (spec: ContainerSpec): Record<string, string> =>
  Object.fromEntries(
    spec.Env.flatMap((entry) => {
      const at = entry.indexOf("=");
      return at > 0 ? [[entry.slice(0, at), entry.slice(at + 1)]] : [];
    }),
  );
