// The JSON Schema of a tool as every client takes it: flat, no `$schema`, no `$ref`, no bounds of the number type, no
// `propertyNames` (what each client refuses differs; this is what none does).

import * as z from "zod";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonSchema = { [key: string]: Json };

const made = new WeakMap<z.ZodObject, JsonSchema>();

/** Made at the first listing, not at start-up, and kept. */
export function jsonSchema(schema: z.ZodObject, io: "input" | "output"): JsonSchema {
  const known = made.get(schema);
  if (known !== undefined) return known;
  const { $schema: _, ...root } = z.toJSONSchema(schema, { io, target: "draft-2020-12" });
  const cleaned = clean(JSON.parse(JSON.stringify(root)) as JsonSchema) as JsonSchema;
  made.set(schema, cleaned);
  return cleaned;
}

function clean(value: Json): Json {
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key, entry]) => !isNoise(key, entry));
  return Object.fromEntries(kept.map(([key, entry]) => [key, clean(entry)]));
}

const isNoise = (key: string, value: Json): boolean =>
  key === "propertyNames" ||
  (key === "additionalProperties" && value === false) ||
  ((key === "minimum" || key === "maximum") && typeof value === "number" && Math.abs(value) >= Number.MAX_SAFE_INTEGER);
