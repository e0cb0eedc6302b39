// What went wrong in the code of a run, as the caller sees it. There are three sources: the thrown value that the harness
// reports (untrusted), an error found in the text before the run, and the platform's message when it ended the isolate.

import * as z from "zod";
import type { CodeError } from "./isolate.ts";
import type { CodeFault } from "./program/code-fault.ts";
import { excerptAt, type Position } from "./program/position.ts";
import type { Program } from "./program/program.ts";
import { formatValueWithin } from "./value/format-value.ts";
import type { Node } from "./value/node.ts";
import { readTree } from "./value/read-tree.ts";

/** The thrown value as harness/thrown.js writes it. */
export const Thrown = z.object({
  is_error: z.boolean(),
  class: z.string().max(2_000),
  message: z.string().max(4_000),
  stack: z.string().max(8_000),
  tree: z.unknown(),
});
export type Thrown = z.infer<typeof Thrown>;

const detailChars = 2_000;

export function fromThrown(thrown: Thrown, program: Program, code: string): CodeError {
  const tree = readTree(thrown.tree);
  const place = placeInStack(thrown.stack, program, code);
  if (!thrown.is_error) {
    const text = formatValueWithin(tree, detailChars).text;
    return { ...plainError("thrown value", `A value that is not an Error was thrown: ${text}`), place };
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

export const fromCodeFault = ({ name, message, position }: CodeFault, code: string): CodeError => ({
  ...plainError(name, message),
  place: placeAt(position, code),
});

/** `error` is what the platform threw when it ended the isolate or could not create it. */
export function fromPlatform(error: unknown, program: Program, code: string): CodeError {
  const platformMessage = error instanceof Error ? error.message : String(error);
  const syntax = /Uncaught SyntaxError: ([^\n]*)\n\s*at code\.js:(\d+):(\d+)/.exec(platformMessage);
  if (syntax !== null) {
    const position = program.original({ line: Number(syntax[2]), column: Number(syntax[3]) });
    return { ...plainError("SyntaxError", syntax[1] ?? ""), place: placeAt(position, code) };
  }
  const known = platformFaults.find(([pattern]) => pattern.test(platformMessage));
  if (known === undefined) {
    return plainError("IsolateError", `The isolate was ended: ${platformMessage.slice(0, 500)}`);
  }
  const [, name, message] = known;
  return plainError(name, message);
}

export const plainError = (name: string, message: string): CodeError => ({
  name,
  message,
  reason: null,
  place: null,
  details: null,
});

const platformFaults: [RegExp, string, string][] = [
  [
    /had hung|never generate a response/,
    "Hung",
    "The code waits for something that can never happen: a promise that nothing resolves",
  ],
  [
    /CPU time/i,
    "CpuLimit",
    "The code used too much CPU time and was ended. Look for an endless loop, or do the work in the machine with sandbox.exec",
  ],
  [
    /memory/i,
    "MemoryLimit",
    "The code used too much memory and was ended. Do the work in the machine with sandbox.exec",
  ],
  [
    /Network connection lost/,
    "Interrupted",
    "The server was restarted while the code ran. What it did until then stays. Look at that before you run the code again",
  ],
  [/process\.exit/, "Exit", "The code called process.exit(), which ends it without a value. Return the value instead"],
];

/** The place of the first stack frame that is in the code of the run. */
function placeInStack(stack: string, program: Program, code: string): CodeError["place"] {
  const frame = /\bcode\.js:(\d{1,7}):(\d{1,7})/.exec(stack);
  if (frame === null) return null;
  return placeAt(program.original({ line: Number(frame[1]), column: Number(frame[2]) }), code);
}

const placeAt = (position: Position | null, code: string): CodeError["place"] =>
  position === null ? null : { ...position, excerpt: excerptAt(code, position) };

/** The `reason` of an error, and its other fields, cause and errors as text. */
function detailsOf(tree: Node): { reason: string | null; details: string | null } {
  if (typeof tree !== "object" || tree === null || Array.isArray(tree) || tree.kind !== "error") {
    return { reason: null, details: null };
  }
  const fields =
    typeof tree.fields === "object" && tree.fields !== null && "kind" in tree.fields && tree.fields.kind === "object"
      ? tree.fields.entries
      : [];
  const reason = fields.find(([key]) => key === "reason")?.[1];
  const shown = fields.filter(([key]) => !["name", "reason", "message", "stack"].includes(key));
  if (tree.cause !== undefined) shown.push(["cause", tree.cause]);
  if (tree.errors !== undefined) shown.push(["errors", tree.errors]);
  const details = shown.map(([key, value]) => `${key}: ${formatValueWithin(value, detailChars).text}`);
  return {
    reason: typeof reason === "string" ? reason : null,
    details: details.length === 0 ? null : details.join("\n"),
  };
}
