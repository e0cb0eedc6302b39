// Schemas for arguments as models send them: a number, a boolean or JSON inside a string is read as what it says, null is an
// absent argument, and an unknown argument is named in the error. Strings that are content (a command, stdin) are never changed.

import * as z from "zod";
import { limits } from "../src/contract/limits.ts";
import { fail, type Result, succeed } from "../src/contract/result.ts";
import { truncate } from "../src/format/truncate.ts";

/** A whole number, or a string that contains one. */
export const wholeNumber = (minimum: number, maximum: number) =>
  z.preprocess(
    (value) => (typeof value === "string" && /^\s*-?\d+\s*$/.test(value) ? Number(value) : value),
    z
      .int("must be a whole number")
      .min(minimum, `must be at least ${minimum}`)
      .max(maximum, `must be at most ${maximum}`),
  );

/** A boolean, or the string "true" or "false". */
export const flag = () =>
  z.preprocess((value) => {
    if (typeof value !== "string") return value;
    const text = value.trim().toLowerCase();
    return text === "true" ? true : text === "false" ? false : value;
  }, z.boolean());

/** An object or array, or a string that contains its JSON. */
export const orJson = <Schema extends z.ZodType>(schema: Schema) => z.preprocess(parseIfJson, schema);

/** A list of strings, a string that contains its JSON, or a string with commas or spaces between the items. */
export const stringList = () =>
  z.preprocess((value) => {
    const parsed = parseIfJson(value);
    return typeof parsed === "string" ? parsed.split(/[\s,]+/).filter((item) => item !== "") : parsed;
  }, z.array(z.string()));

/** An object whose values are strings, or a string that contains its JSON. Null removes a name; other scalars become strings. */
export const stringMap = () =>
  orJson(z.preprocess(withoutNulls, z.record(z.string(), scalarString, "must be an object whose values are strings")));

const scalarString = z.preprocess(
  (value) => (typeof value === "number" || typeof value === "boolean" ? String(value) : value),
  z.string("must be a string"),
);

/** The object or array whose JSON a string contains; any other value as it is. */
export function parseIfJson(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

export const withoutNulls = (value: unknown): unknown =>
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
  if (unknown !== undefined) return fail({ reason: "invalid_request", message: formatUnknown(unknown, known) });
  const parsed = schema.safeParse(present);
  if (parsed.success) return succeed(parsed.data);
  const issues = parsed.error.issues.slice(0, ISSUES_MAX).map((issue) => formatIssue(issue, present));
  return fail({ reason: "invalid_request", message: issues.join(" ") });
}

/** An error lists at most this many. */
const ISSUES_MAX = 10;

function formatUnknown(given: string, known: string[]): string {
  // A name that had to be shortened resembles none that is known.
  const name = echo(given);
  const nearest = known.toSorted((a, b) => editDistance(name, a) - editDistance(name, b))[0];
  const isClose = nearest !== undefined && editDistance(name, nearest) <= Math.max(2, name.length / 2);
  return `Unknown argument "${name}". ${isClose ? `Did you mean "${nearest}"? ` : ""}The arguments are: ${known.join(", ")}.`;
}

function formatIssue(issue: z.core.$ZodIssue, input: Record<string, unknown>): string {
  const name = echo(issue.path.join("."));
  const [first] = issue.path;
  if (issue.path.length === 1 && typeof first === "string" && !(first in input))
    return `Argument "${name}" is missing.`;
  return `Argument "${name}": ${echo(issue.message.replace(/\.$/, ""))}.`;
}

/** A name from the caller may be of any length; an error repeats this much of it. */
const echo = (text: string): string => truncate(text, limits.echoMaxChars);

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
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
