// Describes a thrown value as JSON text, which code-error.ts reads in the Worker.

import { describe } from "./describe.js";
import * as native from "./intrinsics.js";
import { classOf, clip, isError, messageOf, textOf } from "./kinds.js";

/**
 * The class, the message and the stack of the thrown value, and the whole value as a tree.
 * @param {unknown} thrown
 * @param {string} site the stack of the throw, for a value without one
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
