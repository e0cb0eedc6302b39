// Measures values that pass between an isolate and a provider. Code can send anything (a function arrives as a stub that
// calls back), so arguments are accepted only if they are plain data. The size of both directions is counted.

/**
 * The approximate serialized size of a value in bytes, where a shared object counts each time it occurs: later code visits
 * every path too, and 60 objects that share can form 2^60 paths. Null for a value that is not plain data. Measuring stops
 * once the size exceeds `max`, and returns the size so far.
 */
export function measurePlainData(value: unknown, max: number): number | null {
  const total = { size: 0, max };
  return addValue(value, total, 0) ? total.size : null;
}

interface Total {
  size: number;
  max: number;
}

const maxDepth = 100;

/** False when the value is not plain data. */
function addValue(value: unknown, total: Total, depth: number): boolean {
  total.size += 8;
  switch (typeof value) {
    case "string":
      // A Latin-1 string is sent with one byte per character, any other with two; one is close enough.
      total.size += value.length;
      return true;
    case "number":
    case "boolean":
    case "undefined":
      return true;
    case "object":
      return value === null || (depth <= maxDepth && addObject(value, total, depth));
    default:
      return false;
  }
}

function addObject(value: object, total: Total, depth: number): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Uint8Array.prototype) {
    if (!(value instanceof Uint8Array)) return false;
    total.size += value.byteLength;
    return true;
  }
  if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) return false;
  for (const [key, item] of Object.entries(value)) {
    if (total.size > total.max) return true;
    total.size += key.length;
    if (!addValue(item, total, depth + 1)) return false;
  }
  return true;
}
