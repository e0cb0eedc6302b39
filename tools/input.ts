// Arguments as models send them: numbers, booleans and JSON inside strings are taken for what they say, null is an absent
// argument, and an unknown one is named. Strings that are content (a command, stdin) are never touched.

import * as z from "zod";
import { limits } from "../src/contract/limits.ts";
import type { Result } from "../src/contract/result.ts";
import { fail, succeed } from "../src/contract/result.ts";
import { truncate } from "../src/format/truncate.ts";

/** A whole number, or the text of one. */
export const wholeNumber = (minimum: number, maximum: number) =>
  z.preprocess(
    (value) => (typeof value === "string" && /^\s*-?\d+\s*$/.test(value) ? Number(value) : value),
    z
      .int("must be a whole number")
      .min(minimum, `must be at least ${minimum}`)
      .max(maximum, `must be at most ${maximum}`),
  );

/** A boolean, or the text "true" or "false". */
export const flag = () =>
  z.preprocess((value) => {
    if (typeof value !== "string") return value;
    const text = value.trim().toLowerCase();
    return text === "true" ? true : text === "false" ? false : value;
  }, z.boolean());

/** An object or array, or the JSON text of one. */
export const jsonText = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => {
    if (typeof value !== "string") return value;
    try {
      return JSON.parse(value);
    } catch {
      return value;
    }
  }, schema);

/** Texts in a list, the JSON text of one, or one text with commas or spaces between them. */
export const textList = () =>
  z.preprocess((value) => {
    if (typeof value !== "string") return value;
    try {
      return JSON.parse(value);
    } catch {
      return value.split(/[\s,]+/).filter((text) => text !== "");
    }
  }, z.array(z.string()));

/** An object of texts, or the JSON text of one; numbers and booleans are taken as text, null leaves a name out. */
export const textMap = () =>
  jsonText(z.preprocess(withoutNulls, z.record(z.string(), text, "must be an object of texts")));

const text = z.preprocess(
  (value) => (typeof value === "number" || typeof value === "boolean" ? String(value) : value),
  z.string("must be a text"),
);

const withoutNulls = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== null))
    : value;

export function parseInput<Schema extends z.ZodObject>(schema: Schema, input: unknown): Result<z.infer<Schema>> {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    return fail({ reason: "invalid_request", message: "The arguments must be one object." });
  }
  const present = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
  const known = Object.keys(schema.shape);
  const unknown = Object.keys(present).find((name) => !known.includes(name));
  if (unknown !== undefined) return fail({ reason: "invalid_request", message: unknownArgument(unknown, known) });
  const parsed = schema.safeParse(present);
  if (parsed.success) return succeed(parsed.data);
  return fail({
    reason: "invalid_request",
    message: parsed.error.issues
      .slice(0, ISSUES)
      .map((issue) => sayIssue(issue, present))
      .join(" "),
  });
}

/** So many faults are told at once. */
const ISSUES = 10;

function unknownArgument(given: string, known: string[]): string {
  // A name that long is near to none.
  const name = echo(given);
  const nearest = known.toSorted((a, b) => distance(name, a) - distance(name, b))[0];
  const close = nearest !== undefined && distance(name, nearest) <= Math.max(2, name.length / 2);
  return `Unknown argument "${name}". ${close ? `Did you mean "${nearest}"? ` : ""}The arguments are: ${known.join(", ")}.`;
}

function sayIssue(issue: z.core.$ZodIssue, input: Record<string, unknown>): string {
  const name = echo(issue.path.join("."));
  const [first] = issue.path;
  if (issue.path.length === 1 && typeof first === "string" && !(first in input))
    return `Argument "${name}" is missing.`;
  return `Argument "${name}": ${echo(issue.message.replace(/\.$/, ""))}.`;
}

/** A name from the caller may be of any length; an error repeats this much of it. */
const echo = (text: string): string => truncate(text, limits.echoMaxChars);

/** Levenshtein's edit distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, charA] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, charB] of [...b].entries()) {
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (charA === charB ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
