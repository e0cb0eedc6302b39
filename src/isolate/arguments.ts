// Parses the arguments of a provider call with the schema of the method. Code passes one object, or the first fields in
// order.

import { fail, type Result, succeed } from "../contract/result.ts";
import { formatSignature } from "./declarations.ts";
import type { Method } from "./providers/provider.ts";

export function readArguments(name: string, method: Method, args: readonly unknown[]): Result<Record<string, unknown>> {
  const gathered = gather(method.positional, args);
  if (gathered === null) return refuse(name, method, "takes one object");
  const shape = method.input.shape;
  const acceptsNull = (key: string) => !Object.hasOwn(shape, key) || shape[key]?.safeParse(null).success === true;
  // Undefined means absent, and so does null when the schema does not accept it.
  const present = Object.fromEntries(
    Object.entries(gathered).filter(([key, value]) => value !== undefined && (value !== null || acceptsNull(key))),
  );
  const parsed = method.input.safeParse(present);
  if (parsed.success) return succeed(parsed.data);
  const [issue] = parsed.error.issues;
  if (issue === undefined) return refuse(name, method, "does not accept these arguments");
  const field = issue.path.join(".");
  if (issue.path.length === 1 && !Object.hasOwn(present, field)) return refuse(name, method, `needs "${field}"`);
  return refuse(name, method, `: ${field === "" ? "" : `"${field}": `}${issue.message.replace(/\.$/, "")}`);
}

function gather(positional: readonly string[], args: readonly unknown[]): Record<string, unknown> | null {
  const [first] = args;
  if (args.length === 0) return {};
  if (args.length === 1 && isPlainObject(first)) return first;
  const gathered: Record<string, unknown> = {};
  for (const [index, value] of args.entries()) {
    const key = positional[index];
    // Options after positional arguments: exec("ls", {cwd: "src"}).
    if (index > 0 && index === args.length - 1 && isPlainObject(value) && key !== "value")
      Object.assign(gathered, value);
    else if (key === undefined) return null;
    else gathered[key] = value;
  }
  return gathered;
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const refuse = (name: string, method: Method, what: string): Result<never> =>
  fail({
    reason: "invalid_request",
    message: `${name} ${what}. Call it as ${formatSignature(name, method)}`.replace(" : ", ": "),
  });
