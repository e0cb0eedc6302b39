// Awaits the promises inside a value, which the author of `return [fetchA(), fetchB()]` expects. The results are kept in a
// map, and the value itself is not changed.

import * as native from "./intrinsics.js";
import { isPromise } from "./kinds.js";

/** Promises at a greater depth, or after this many objects, are not awaited. */
const maxDepth = 20;
const maxObjects = 100_000;

/**
 * @template Value
 * @param {Value} root
 * @param {Map<unknown, unknown>} settled receives the result of each promise
 * @returns {Promise<Value>} rejects when one of the promises rejects
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
      visitContents(value, depth);
    } catch {
      // The value cannot be read, which its description will report.
      return;
    }
  }

  /**
   * @param {any} value
   * @param {number} depth
   */
  function visitContents(value, depth) {
    if (native.isView(value)) return;
    const prototype = native.getPrototypeOf(value);
    if (prototype !== native.objectPrototype && prototype !== null && !native.isArray(value)) {
      visitEach(native.mapForEach, value, depth);
      visitEach(native.setForEach, value, depth);
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
  function visitEach(forEach, value, depth) {
    try {
      forEach(value, (item) => visit(item, depth + 1));
    } catch {
      // The value is not a collection of this kind.
      return;
    }
  }
}
