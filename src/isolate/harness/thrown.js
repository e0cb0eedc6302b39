// What the code threw, as JSON text for the report (read on the other side by code-error.ts).

import { describe } from "./describe.js";
import * as native from "./intrinsics.js";
import { classOf, clip, isError, messageOf, textOf } from "./kinds.js";

/**
 * What was thrown, for the report: the class, the message, the stack, and the whole as a tree.
 * @param {unknown} thrown
 * @param {string} site a stack that says where, for a value without one
 */
export function describeThrown(thrown, site) {
  const tree = describe(thrown, { maxChars: 4_000, maxDepth: 6, settled: new native.NativeMap() });
  const error = isError(thrown);
  const name = error
    ? classOf(thrown)
    : typeof thrown === "object" && thrown !== null
      ? classOf(thrown) || "Object"
      : "";
  const message = error ? messageOf(thrown) : "";
  const stack = error ? textOf(thrown, "stack") : site;
  return `{"is_error":${error},"class":${native.stringify(clip(name))},"message":${native.stringify(native.slice(message, 0, 4_000))},"stack":${native.stringify(native.slice(stack, 0, 8_000))},"tree":${tree}}`;
}
