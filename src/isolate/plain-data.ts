// Values that cross between an isolate and a provider. From inside anything may come (a function arrives as a stub that calls
// back), so arguments are taken only if they are plain data; the size of both directions is counted.

/**
 * About the size of a value written out, where what is shared counts each time it is met: what reads the value after this goes
 * down every path too, and sharing makes 2^60 paths of 60 objects. Null for what is not plain data. The look ends once the size
 * is over `max`, with the size until then.
 */
export function plainSize(value: unknown, max: number): number | null {
  const total = { size: 0, max };
  return add(value, total, 0) ? total.size : null;
}

interface Total {
  size: number;
  max: number;
}

const maxDepth = 100;

/** False for what is not plain data. */
function add(value: unknown, total: Total, depth: number): boolean {
  total.size += 8;
  switch (typeof value) {
    case "string":
      // Latin-1 strings cross with one byte a character; others with two.
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
    if (!add(item, total, depth + 1)) return false;
  }
  return true;
}
