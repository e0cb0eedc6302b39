// Determines the kind of a value. Nothing here throws, and code of the value runs only where that cannot be avoided.

import * as native from "./intrinsics.js";

/** @param {unknown} error */
export function messageOf(error) {
  if (typeof error === "string") return native.slice(error, 0, 4_000);
  return typeof error === "object" && error !== null ? native.slice(textOf(error, "message"), 0, 4_000) : "";
}

/**
 * @param {any} value
 * @param {string} key
 */
export function textOf(value, key) {
  try {
    const text = value[key];
    return typeof text === "string" ? text : "";
  } catch {
    return "";
  }
}

/** @param {unknown} value */
export const isError = (value) => inherits(value, native.errorPrototype);

/** @param {unknown} value */
export const isPromise = (value) => inherits(value, native.promisePrototype);

/**
 * @param {unknown} value
 * @param {object} ancestor
 */
function inherits(value, ancestor) {
  try {
    let prototype = typeof value === "object" && value !== null ? native.getPrototypeOf(value) : null;
    for (let steps = 0; prototype !== null && steps < 100; steps++) {
      if (prototype === ancestor) return true;
      prototype = native.getPrototypeOf(prototype);
    }
  } catch {
    // The trap of a proxy threw.
    return false;
  }
  return false;
}

/**
 * Whether a built-in method accepts the value as its `this`.
 * @param {(self: unknown) => unknown} method
 * @param {unknown} value
 */
export function accepts(method, value) {
  try {
    method(value);
    return true;
  } catch {
    return false;
  }
}

/**
 * The name of the class, read without running code of the value; for an error, its `name` if that is more specific.
 * @param {any} value
 * @returns {string}
 */
export function classOf(value) {
  try {
    const errorName = isError(value) ? textOf(value, "name") : "";
    for (let prototype = native.getPrototypeOf(value), steps = 0; prototype !== null && steps < 100; steps++) {
      const classFunction = native.getOwnPropertyDescriptor(prototype, "constructor")?.value;
      const name = typeof classFunction === "function" ? nameOf(classFunction) : "";
      if (name !== "") return errorName !== "" && errorName !== "Error" ? errorName : name;
      prototype = native.getPrototypeOf(prototype);
    }
    return errorName;
  } catch {
    return "";
  }
}

/**
 * @param {Function} value
 * @returns {string}
 */
export function nameOf(value) {
  const name = native.getOwnPropertyDescriptor(value, "name")?.value;
  return typeof name === "string" ? name : "";
}

/**
 * @param {Function} value
 * @returns {string}
 */
export function sourceOf(value) {
  try {
    return native.functionText(value);
  } catch {
    return "";
  }
}

/** @param {string} text */
export const clip = (text) => (text.length > 1_000 ? native.slice(text, 0, 1_000) : text);
