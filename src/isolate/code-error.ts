// What went wrong in the code, as it is told: from what the harness said was thrown (untrusted), from a fault of the text, or
// from the platform's words when an isolate was ended.

import * as z from "zod";
import type { CodeError } from "./isolate.ts";
import type { CodeFault } from "./program/code-fault.ts";
import { excerptAt, type Position } from "./program/position.ts";
import type { Program } from "./program/program.ts";
import { fitValueText } from "./value/format-value.ts";
import type { Node } from "./value/node.ts";
import { readTree } from "./value/read-tree.ts";

/** As harness/describe.js writes it. */
export const Thrown = z.object({
  is_error: z.boolean(),
  class: z.string().max(2_000),
  message: z.string().max(4_000),
  stack: z.string().max(8_000),
  tree: z.unknown(),
});
export type Thrown = z.infer<typeof Thrown>;

const detailChars = 2_000;

export function thrownError(thrown: Thrown, program: Program, code: string): CodeError {
  const tree = readTree(thrown.tree);
  const place = placeIn(thrown.stack, program, code);
  if (!thrown.is_error) {
    const text = fitValueText(tree, detailChars).text;
    return { name: "thrown value", message: `Not an Error was thrown: ${text}`, reason: null, place, details: null };
  }
  const { reason, details } = detailsOf(tree);
  return {
    name: thrown.class === "" ? "Error" : thrown.class,
    message: thrown.message === "" ? "(no message)" : thrown.message,
    reason,
    place,
    details,
  };
}

export function faultError(fault: CodeFault, code: string): CodeError {
  return {
    name: fault.name,
    message: fault.message,
    reason: null,
    place: placeAt(fault.position, code),
    details: null,
  };
}

/** The isolate was ended from outside, or could not be made. */
export function platformError(error: unknown, program: Program, code: string): CodeError {
  const words = error instanceof Error ? error.message : String(error);
  const syntax = /Uncaught SyntaxError: ([^\n]*)\n\s*at code\.js:(\d+):(\d+)/.exec(words);
  if (syntax !== null) {
    const position = program.original({ line: Number(syntax[2]), column: Number(syntax[3]) });
    return {
      name: "SyntaxError",
      message: syntax[1] ?? "",
      reason: null,
      place: placeAt(position, code),
      details: null,
    };
  }
  const told = platformFaults.find(([pattern]) => pattern.test(words));
  const [, name, message] = told ?? [null, "IsolateError", `The isolate was ended: ${words.slice(0, 500)}`];
  return { name, message, reason: null, place: null, details: null };
}

const platformFaults: [RegExp, string, string][] = [
  [
    /had hung|never generate a response/,
    "Hung",
    "The code waits for something that can never come: a promise that nothing resolves",
  ],
  [
    /CPU time/i,
    "CpuLimit",
    "The code used too much processor time and was ended. Look for an endless loop, or do the work in the machine with sandbox.exec",
  ],
  [
    /memory/i,
    "MemoryLimit",
    "The code used too much memory and was ended. Do the work in the machine with sandbox.exec",
  ],
  [/process\.exit/, "Exit", "The code called process.exit(), which ends it without a value. Return the value instead"],
];

/** The first frame of a stack that is in the code of the run. */
function placeIn(stack: string, program: Program, code: string): CodeError["place"] {
  const frame = /\bcode\.js:(\d{1,7}):(\d{1,7})/.exec(stack);
  if (frame === null) return null;
  return placeAt(program.original({ line: Number(frame[1]), column: Number(frame[2]) }), code);
}

const placeAt = (position: Position | null, code: string): CodeError["place"] =>
  position === null ? null : { ...position, excerpt: excerptAt(code, position) };

/** The fields and the cause of an error; `reason` is told apart. */
function detailsOf(tree: Node): { reason: string | null; details: string | null } {
  if (typeof tree !== "object" || tree === null || Array.isArray(tree) || tree.kind !== "error") {
    return { reason: null, details: null };
  }
  const fields =
    typeof tree.fields === "object" && tree.fields !== null && "kind" in tree.fields && tree.fields.kind === "object"
      ? tree.fields.entries
      : [];
  const reason = fields.find(([key]) => key === "reason")?.[1];
  const told = fields.filter(([key]) => !["name", "reason", "message", "stack"].includes(key));
  const parts = told.map(([key, value]) => `${key}: ${fitValueText(value, detailChars).text}`);
  if (tree.cause !== undefined) parts.push(`cause: ${fitValueText(tree.cause, detailChars).text}`);
  if (tree.errors !== undefined) parts.push(`errors: ${fitValueText(tree.errors, detailChars).text}`);
  return { reason: typeof reason === "string" ? reason : null, details: parts.length === 0 ? null : parts.join("\n") };
}
