// The frames of the stack below a function, as text. It works even if the code of the run has replaced stack formatting.

import * as native from "./intrinsics.js";

/**
 * @param {(...args: never) => unknown} below
 * @returns {string} one frame per line; empty when the stack is not available
 */
export function stackBelow(below) {
  const holder = { stack: "" };
  try {
    native.captureStackTrace(holder, below);
    const { stack } = holder;
    if (typeof stack !== "string") return "";
    // The first line describes the object.
    for (let index = 0; index < stack.length; index++) {
      if (stack[index] === "\n") return native.slice(stack, index, stack.length);
    }
    return "";
  } catch {
    return "";
  }
}
