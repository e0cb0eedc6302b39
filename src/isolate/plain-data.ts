// Values that cross between an isolate and a provider. From inside anything may come (a function arrives as a stub that calls
// back), so arguments are taken only if they are plain data; the size of both directions is counted.

/** About its size as it crosses; null for what is not plain data. */
export function plainSize(value: unknown, depth = 0): number | null {
  switch (typeof value) {
    case "string":
      // Latin-1 strings cross with one byte a character; others with two.
      return value.length + 8;
    case "number":
    case "boolean":
    case "undefined":
      return 8;
    case "object":
      return value === null ? 8 : depth > maxDepth ? null : objectSize(value, depth);
    default:
      return null;
  }
}

const maxDepth = 100;

function objectSize(value: object, depth: number): number | null {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Uint8Array.prototype) return value instanceof Uint8Array ? value.byteLength + 8 : null;
  if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) return null;
  let size = 8;
  for (const [key, item] of Object.entries(value)) {
    const more = plainSize(item, depth + 1);
    if (more === null) return null;
    size += more + key.length;
  }
  return size;
}
