// TypeScript declarations of the methods that code may call, made from the schemas that validate the calls.

import * as z from "zod";
import type { Grants } from "./grants.ts";
import type { Method, Provider } from "./providers/provider.ts";

/** The full declaration of one provider, for help(). */
export function declareProvider(provider: Provider, grants: Grants): string {
  const methods = Object.entries(provider.methods)
    .filter(([method]) => grants.methods.has(`${provider.name}.${method}`))
    .map(
      ([name, method]) =>
        `  /** ${method.summary} */\n  ${name}(${inputType(method)}): Promise<${outputType(method)}>;`,
    );
  return `/** ${provider.summary} */\ndeclare const ${provider.name}: {\n${methods.join("\n")}\n};`;
}

/** One line, without the result. */
export const formatSignature = (name: string, method: Method): string => `${name}(${inputType(method)})`;

/**
 * The shortest useful form: the names of the arguments, with a mark on the optional ones, and of the first fields of the
 * result.
 */
export function formatBriefly(name: string, method: Method): string {
  const fields = Object.entries(method.input.shape)
    .filter(([field]) => !rareFields.includes(field))
    .map(([field, schema]) => `${field}${schema.safeParse(undefined).success ? "?" : ""}`);
  return `${name}(${fields.length === 0 ? "" : `{${fields.join(", ")}}`}): ${briefType(method.output)}`;
}

const briefFields = 3;
/** Fields of several methods that are rarely needed; only help() shows them. */
const rareFields = ["expected_hash", "dry_run"];

function briefType(output: z.ZodType | string): string {
  if (typeof output === "string") return output;
  if (output instanceof z.ZodArray && output.element instanceof z.ZodType) return `${briefType(output.element)}[]`;
  if (!(output instanceof z.ZodObject)) return output.type;
  const names = Object.keys(output.shape).filter((name) => !rareFields.includes(name));
  return `{${names.slice(0, briefFields).join(", ")}${names.length > briefFields ? ", …" : ""}}`;
}

function inputType(method: Method): string {
  if (Object.keys(method.input.shape).length === 0) return "";
  const schema = z.toJSONSchema(method.input, { io: "input", unrepresentable: "any", override: nameBytes });
  return `options${isRequired(method) ? "" : "?"}: ${typeOf(schema)}`;
}

const isRequired = (method: Method): boolean => !method.input.safeParse({}).success;

function outputType({ output }: Method): string {
  if (typeof output === "string") return output;
  return typeOf(z.toJSONSchema(output, { io: "output", unrepresentable: "any", override: nameBytes }));
}

/** JSON Schema has no type for bytes, so the title carries it. */
function nameBytes({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodType;
  jsonSchema: z.core.JSONSchema.BaseSchema;
}): void {
  if (zodSchema instanceof z.ZodCustom) jsonSchema.title = "Uint8Array";
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

function typeOf(schema: JsonSchema | boolean): string {
  if (typeof schema === "boolean") return "any";
  if (schema.title === "Uint8Array") return "Uint8Array";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const union = schema.anyOf ?? schema.oneOf;
  if (union !== undefined) return [...new Set(union.map(typeOf))].join(" | ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(" | ");
  switch (schema.type) {
    case "object":
      return objectType(schema);
    case "array": {
      const items = typeof schema.items === "object" && !Array.isArray(schema.items) ? typeOf(schema.items) : "any";
      return /[ |]/.test(items) && !items.startsWith("{") ? `(${items})[]` : `${items}[]`;
    }
    case "integer":
    case "number":
      return "number";
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    default:
      return "any";
  }
}

function objectType({ properties, required, additionalProperties }: JsonSchema): string {
  if (properties === undefined) {
    return `Record<string, ${typeof additionalProperties === "object" ? typeOf(additionalProperties) : "any"}>`;
  }
  const fields = Object.entries(properties).map(([name, field]) => {
    const note = typeof field === "object" && field.description !== undefined ? ` /* ${field.description} */` : "";
    return `${name}${required?.includes(name) === true ? "" : "?"}: ${typeOf(field)}${note}`;
  });
  return `{ ${fields.join("; ")} }`;
}
