// Reads the text that the harness wrote. It comes from inside, so nothing of it is believed: it is bounded, and anything
// that is not of the form becomes a word that says so. The one place that knows both sides of the form is this file and
// harness/describe.js.

import type { Node } from "./node.ts";

const maxDepth = 220;

const odd: Node = { kind: "word", text: "[unreadable]" };

export function readTree(value: unknown, depth = 0): Node {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : odd;
  if (depth > maxDepth) return odd;
  if (Array.isArray(value)) return value.map((item) => readTree(item, depth + 1));
  if (typeof value !== "object") return odd;
  return readTagged(new Map<string, unknown>(Object.entries(value)), depth + 1);
}

function readTagged(fields: ReadonlyMap<string, unknown>, depth: number): Node {
  const [tag] = fields.keys();
  const told = tag === undefined ? undefined : fields.get(tag);
  const tree = (name: string): Node | undefined =>
    fields.has(name) ? readTree(fields.get(name), depth + 1) : undefined;
  switch (tag) {
    case "object": {
      const { pairs, leftOut } = readPairs(told, depth);
      const entries = pairs.map(([key, item]): [string, Node] => [typeof key === "string" ? key : "?", item]);
      return { kind: "object", class: text(fields.get("class")), entries, leftOut };
    }
    case "map": {
      const { pairs, leftOut } = readPairs(told, depth);
      return { kind: "map", entries: pairs, leftOut };
    }
    case "set": {
      const items = tree("set");
      if (!Array.isArray(items)) return odd;
      return { kind: "set", items: items.filter((item) => !isLeftOut(item)), leftOut: sumLeftOut(items) };
    }
    case "error":
      return {
        kind: "error",
        class: text(told),
        message: text(fields.get("message")),
        fields: readTagged(new Map([["object", fields.get("fields")]]), depth),
        cause: tree("cause"),
        errors: tree("errors"),
      };
    case "bytes": {
      const items = tree("items");
      return {
        kind: "bytes",
        class: text(told),
        length: count(fields.get("length")),
        items: Array.isArray(items) ? items : [],
      };
    }
    case "string":
      return { kind: "string", head: text(told), length: count(fields.get("length")) };
    case "holes":
    case "left_out":
      return { kind: tag, count: count(told) };
    default:
      return { kind: "word", text: word(tag, text(told)) };
  }
}

function word(tag: string | undefined, told: string): string {
  switch (tag) {
    case "undefined":
      return "undefined";
    case "number":
    case "regexp":
      return told;
    case "bigint":
      return `${told}n`;
    case "symbol":
      return `Symbol(${told})`;
    case "function":
      return told === "" ? "[Function (anonymous)]" : `[Function ${told}]`;
    case "class_name":
      return told === "" ? "[class (anonymous)]" : `[class ${told}]`;
    case "date":
      return told === "Invalid Date" ? told : `Date(${told})`;
    case "seen":
      return told === "$" ? "[Circular: the whole value]" : `[Circular: ${told}]`;
    case "note":
      return `[${told}]`;
    default:
      return "[unreadable]";
  }
}

function readPairs(value: unknown, depth: number): { pairs: [Node, Node][]; leftOut: number } {
  const pairs: [Node, Node][] = [];
  let leftOut = 0;
  for (const entry of Array.isArray(value) ? value : []) {
    if (Array.isArray(entry) && entry.length === 2) {
      pairs.push([readTree(entry[0], depth + 1), readTree(entry[1], depth + 1)]);
    } else {
      const node = readTree(entry, depth + 1);
      if (isLeftOut(node)) leftOut += node.count;
    }
  }
  return { pairs, leftOut };
}

type LeftOut = Extract<Node, { kind: "left_out" }>;

const isLeftOut = (node: Node): node is LeftOut =>
  typeof node === "object" && node !== null && !Array.isArray(node) && node.kind === "left_out";

const sumLeftOut = (nodes: Node[]): number => nodes.filter(isLeftOut).reduce((sum, node) => sum + node.count, 0);

const text = (value: unknown): string => (typeof value === "string" ? value : "");

const count = (value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0;
