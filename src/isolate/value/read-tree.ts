// Reads the value that the harness described. It comes from the isolate and is not trusted, so it is bounded, and anything
// of an unexpected form becomes "[unreadable]". Only this file and harness/describe.js know the format.

import type { Node } from "./node.ts";

const maxDepth = 220;

const unreadable: Node = { kind: "literal", text: "[unreadable]" };

export function readTree(value: unknown, depth = 0): Node {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : unreadable;
  if (depth > maxDepth) return unreadable;
  if (Array.isArray(value)) return value.map((item) => readTree(item, depth + 1));
  if (typeof value !== "object") return unreadable;
  return readTagged(new Map<string, unknown>(Object.entries(value)), depth + 1);
}

function readTagged(fields: ReadonlyMap<string, unknown>, depth: number): Node {
  const [tag] = fields.keys();
  const content = tag === undefined ? undefined : fields.get(tag);
  const tree = (name: string): Node | undefined =>
    fields.has(name) ? readTree(fields.get(name), depth + 1) : undefined;
  switch (tag) {
    case "object": {
      const { pairs, omitted } = readPairs(content, depth);
      const entries = pairs.map(([key, item]): [string, Node] => [typeof key === "string" ? key : "?", item]);
      return { kind: "object", class: text(fields.get("class")), entries, omitted };
    }
    case "map": {
      const { pairs, omitted } = readPairs(content, depth);
      return { kind: "map", entries: pairs, omitted };
    }
    case "set": {
      const items = tree("set");
      if (!Array.isArray(items)) return unreadable;
      return { kind: "set", items: items.filter((item) => !isOmitted(item)), omitted: sumOmitted(items) };
    }
    case "error":
      return {
        kind: "error",
        class: text(content),
        message: text(fields.get("message")),
        fields: readTagged(new Map([["object", fields.get("fields")]]), depth),
        cause: tree("cause"),
        errors: tree("errors"),
      };
    case "bytes": {
      const items = tree("items");
      return {
        kind: "bytes",
        class: text(content),
        length: count(fields.get("length")),
        items: Array.isArray(items) ? items : [],
      };
    }
    case "string":
      return { kind: "string", head: text(content), length: count(fields.get("length")) };
    case "holes":
    case "omitted":
      return { kind: tag, count: count(content) };
    default:
      return { kind: "literal", text: formatTagged(tag, text(content)) };
  }
}

function formatTagged(tag: string | undefined, content: string): string {
  switch (tag) {
    case "undefined":
      return "undefined";
    case "number":
    case "regexp":
      return content;
    case "bigint":
      return `${content}n`;
    case "symbol":
      return `Symbol(${content})`;
    case "function":
      return content === "" ? "[Function (anonymous)]" : `[Function ${content}]`;
    case "class_name":
      return content === "" ? "[class (anonymous)]" : `[class ${content}]`;
    case "date":
      return content === "Invalid Date" ? content : `Date(${content})`;
    case "seen":
      return content === "$" ? "[Circular: the whole value]" : `[Circular: ${content}]`;
    case "note":
      return `[${content}]`;
    default:
      return "[unreadable]";
  }
}

function readPairs(value: unknown, depth: number): { pairs: [Node, Node][]; omitted: number } {
  const pairs: [Node, Node][] = [];
  let omitted = 0;
  for (const entry of Array.isArray(value) ? value : []) {
    if (Array.isArray(entry) && entry.length === 2) {
      pairs.push([readTree(entry[0], depth + 1), readTree(entry[1], depth + 1)]);
    } else {
      const node = readTree(entry, depth + 1);
      if (isOmitted(node)) omitted += node.count;
    }
  }
  return { pairs, omitted };
}

type Omitted = Extract<Node, { kind: "omitted" }>;

const isOmitted = (node: Node): node is Omitted =>
  typeof node === "object" && node !== null && !Array.isArray(node) && node.kind === "omitted";

const sumOmitted = (nodes: Node[]): number => nodes.filter(isOmitted).reduce((sum, node) => sum + node.count, 0);

const text = (value: unknown): string => (typeof value === "string" ? value : "");

const count = (value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0;
