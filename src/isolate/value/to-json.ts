// Converts a value to JSON if it is JSON throughout, so that nothing is renamed, dropped or cut.

import type { Node } from "./node.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Undefined when the value is not JSON. */
export function toJson(node: Node): Json | undefined {
  if (typeof node !== "object" || node === null) return node;
  if (Array.isArray(node)) {
    const items: Json[] = [];
    for (const item of node) {
      const json = toJson(item);
      if (json === undefined) return undefined;
      items.push(json);
    }
    return items;
  }
  if (node.kind !== "object" || node.class !== "" || node.omitted > 0) return undefined;
  const entries: [string, Json][] = [];
  for (const [key, item] of node.entries) {
    const json = toJson(item);
    if (json === undefined) return undefined;
    entries.push([key, json]);
  }
  // Object.fromEntries defines properties, so that the key "__proto__" stays a plain key.
  return Object.fromEntries(entries);
}
