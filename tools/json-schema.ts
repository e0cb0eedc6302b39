// The JSON Schema of a tool in the form that every client accepts: flat, without `$schema`, `$ref`, the bounds of the number
// type and `propertyNames`. Each client refuses some of these.

import * as z from "zod";

export type JsonSchema = { [key: string]: unknown };

const cache = new WeakMap<z.ZodObject, JsonSchema>();

/** Generated at the first listing, not at start-up, and cached. */
export function jsonSchema(schema: z.ZodObject, io: "input" | "output"): JsonSchema {
  const cached = cache.get(schema);
  if (cached !== undefined) return cached;
  const { $schema: _, ...root } = z.toJSONSchema(schema, { io, target: "draft-2020-12" });
  const cleaned = cleanObject(root);
  cache.set(schema, cleaned);
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
