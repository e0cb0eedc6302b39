// A value as JSON, where it is JSON throughout: nothing renamed, dropped or cut. Otherwise undefined.

import type { Node } from "./node.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

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
  if (node.kind !== "object" || node.class !== "" || node.leftOut > 0) return undefined;
  const entries: [string, Json][] = [];
  for (const [key, item] of node.entries) {
    const json = toJson(item);
    if (json === undefined) return undefined;
    entries.push([key, json]);
  }
  // Object.fromEntries defines: a key "__proto__" stays a key.
  return Object.fromEntries(entries);
}
