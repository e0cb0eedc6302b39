// Awaits the promises inside a value, as a person who returns `[fetchA(), fetchB()]` expects. What each came to is kept
// beside the value, which is not changed.

import * as native from "./intrinsics.js";
import { isPromise } from "./kinds.js";

/** Deeper or beyond so many objects a promise stays what it is. */
const maxDepth = 20;
const maxObjects = 100_000;

/**
 * @template Value
 * @param {Value} root
 * @param {Map<unknown, unknown>} settled filled with promise → value
 * @returns {Promise<Value>} rejects as the first of them does
 */
export async function settle(root, settled) {
  const seen = new native.NativeMap();
  /** @type {{ promise: any, next: any } | null} */
  let found = null;
  visit(root, 0);
  while (found !== null) {
    const { promise, next } = /** @type {{ promise: any, next: any }} */ (found);
    found = next;
    const value = await promise;
    native.mapSet(settled, promise, value);
    visit(value, 0);
  }
  return root;

  /**
   * @param {any} value
   * @param {number} depth
   */
  function visit(value, depth) {
    if (typeof value !== "object" || value === null || depth > maxDepth) return;
    if (native.mapHas(seen, value) || native.mapSize(seen) > maxObjects) return;
    native.mapSet(seen, value, true);
    if (isPromise(value)) {
      found = { promise: value, next: found };
      return;
    }
    try {
      inside(value, depth);
    } catch {
      // Not to be read; the description will say so.
      return;
    }
  }

  /**
   * @param {any} value
   * @param {number} depth
   */
  function inside(value, depth) {
    if (native.isView(value)) return;
    const prototype = native.getPrototypeOf(value);
    if (prototype !== native.objectPrototype && prototype !== null && !native.isArray(value)) {
      eachOf(native.mapForEach, value, depth);
      eachOf(native.setForEach, value, depth);
    }
    const keys = native.ownKeys(value);
    for (let index = 0; index < keys.length; index++) {
      const descriptor = native.getOwnPropertyDescriptor(value, keys[index] ?? "");
      if (descriptor !== undefined && native.hasOwn(descriptor, "value")) visit(descriptor.value, depth + 1);
    }
  }

  /**
   * @param {(self: unknown, visit: (item: unknown) => void) => void} forEach
   * @param {any} value
   * @param {number} depth
   */
  function eachOf(forEach, value, depth) {
    try {
      forEach(value, (item) => visit(item, depth + 1));
    } catch {
      // Of another kind.
      return;
    }
  }
}
