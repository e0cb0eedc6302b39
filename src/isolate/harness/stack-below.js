// The frames of the stack below a function, as text. The code of the run may have replaced how stacks are written.

import * as native from "./intrinsics.js";

/**
 * @param {(...args: never) => unknown} below
 * @returns {string} each on a line of its own; empty where it cannot be told
 */
export function stackBelow(below) {
  const at = { stack: "" };
  try {
    native.captureStackTrace(at, below);
    const { stack } = at;
    if (typeof stack !== "string") return "";
    // The first line says what the object is.
    for (let index = 0; index < stack.length; index++) {
      if (stack[index] === "\n") return native.slice(stack, index, stack.length);
    }
    return "";
  } catch {
    return "";
  }
}
