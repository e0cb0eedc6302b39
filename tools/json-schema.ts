// The JSON Schema of a tool as every client takes it: flat, no `$schema`, no `$ref`, no bounds of the number type, no
// `propertyNames` (what each client refuses differs; this is what none does).

import * as z from "zod";

export type JsonSchema = { [key: string]: unknown };

const made = new WeakMap<z.ZodObject, JsonSchema>();

/** Made at the first listing, not at start-up, and kept. */
export function jsonSchema(schema: z.ZodObject, io: "input" | "output"): JsonSchema {
  const known = made.get(schema);
  if (known !== undefined) return known;
  const { $schema: _, ...root } = z.toJSONSchema(schema, { io, target: "draft-2020-12" });
  const cleaned = cleanObject(root);
  made.set(schema, cleaned);
  return cleaned;
}

const cleanObject = (value: object): JsonSchema =>
  Object.fromEntries(
    Object.entries(value)
      .filter(([key, entry]) => !isNoise(key, entry))
      .map(([key, entry]) => [key, clean(entry)]),
  );

function clean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clean);
  return typeof value === "object" && value !== null ? cleanObject(value) : value;
}

const isNoise = (key: string, value: unknown): boolean =>
  key === "propertyNames" ||
  (key === "minLength" && value === 1) ||
  (key === "additionalProperties" && value === false) ||
  ((key === "minimum" || key === "maximum") && typeof value === "number" && Math.abs(value) >= Number.MAX_SAFE_INTEGER);
