// A value in the notation of a JavaScript console, for what JSON cannot say and for what has to be cut. A cut keeps the
// structure: each list shows its first items and how many there are, each string its start.

import { formatOmitted, OMITTED_CHARS } from "../../format/truncate.ts";
import type { Node } from "./node.ts";

interface Cut {
  /** Of each list and object. */
  maxItems: number;
  /** Of each string. */
  maxString: number;
  /** Characters that may still be written; below zero, what has been written is of no use. */
  left: number;
}

const lineWidth = 100;

/** The whole, for values known to be small. */
export const valueText = (node: Node): string => write(node, uncut(Number.POSITIVE_INFINITY), "");

/** The fullest text that fits, and whether it is all of it. */
export function fitValueText(node: Node, maxChars: number): { text: string; cut: boolean } {
  const cut = uncut(maxChars);
  const all = write(node, cut, "");
  if (cut.left >= 0) return { text: all, cut: holdsLeftOut(node) };
  if (typeof node === "string") return { text: fitString(node, node.length, maxChars), cut: true };
  if (isKind(node, "string")) return { text: fitString(node.head, node.length, maxChars), cut: true };
  let best = "…";
  for (let low = 0, high = 10_000; low <= high; ) {
    const middle = Math.floor((low + high) / 2);
    const attempt: Cut = { maxItems: middle, maxString: 40 * (middle + 1), left: maxChars };
    const text = write(node, attempt, "");
    if (attempt.left >= 0) {
      best = text;
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  return { text: best, cut: true };
}

const uncut = (maxChars: number): Cut => ({
  maxItems: Number.POSITIVE_INFINITY,
  maxString: Number.POSITIVE_INFINITY,
  left: maxChars,
});

/** Stops early, with a text of no use, when there is no room left. */
function write(node: Node, cut: Cut, indent: string): string {
  if (cut.left < 0) return "";
  if (typeof node !== "object" || node === null) return spend(scalarText(node, cut), cut);
  const inner = `${indent}  `;
  if (Array.isArray(node)) return list("[]", node, 0, (item) => write(item, cut, inner), cut, indent);
  switch (node.kind) {
    case "object": {
      const entry = ([key, item]: [string, Node]) => `${spend(`${keyText(key)}: `, cut)}${write(item, cut, inner)}`;
      return named(node.class, cut, list("{}", node.entries, node.leftOut, entry, cut, indent));
    }
    case "map": {
      const entry = ([key, item]: [Node, Node]) =>
        `${write(key, cut, inner)}${spend(" => ", cut)}${write(item, cut, inner)}`;
      const size = node.entries.length + node.leftOut;
      return named(`Map(${size})`, cut, list("{}", node.entries, node.leftOut, entry, cut, indent));
    }
    case "set": {
      const size = node.items.length + node.leftOut;
      return named(
        `Set(${size})`,
        cut,
        list("{}", node.items, node.leftOut, (item) => write(item, cut, inner), cut, indent),
      );
    }
    case "bytes": {
      const leftOut = node.length - node.items.length;
      const items = list("[]", node.items, leftOut, (item) => write(item, cut, inner), cut, indent);
      return named(`${node.class}(${node.length})`, cut, items);
    }
    case "error":
      return errorText(node, cut, indent);
    case "string":
      return spend(quoted(node.head, node.length, cut), cut);
    case "holes":
      return spend(`<${node.count} empty>`, cut);
    case "left_out":
      return spend(formatOmitted(node.count, "item"), cut);
    case "word":
      return spend(node.text, cut);
  }
}

const scalarText = (value: string | number | boolean | null, cut: Cut): string =>
  typeof value === "string" ? quoted(value, value.length, cut) : String(value);

function spend(text: string, cut: Cut): string {
  cut.left -= text.length;
  return text;
}

const named = (name: string, cut: Cut, text: string): string =>
  name === "" ? text : `${spend(`${name} `, cut)}${text}`;

function list<Item>(
  brackets: "[]" | "{}",
  items: readonly Item[],
  leftOut: number,
  say: (item: Item) => string,
  cut: Cut,
  indent: string,
): string {
  const shown: string[] = [];
  // The brackets.
  cut.left -= 4;
  let width = indent.length;
  for (const item of items.slice(0, cut.maxItems)) {
    const text = say(item);
    // Each may come to stand on a line of its own.
    cut.left -= indent.length + 4;
    if (cut.left < 0) return "";
    shown.push(text);
    width += text.includes("\n") ? lineWidth : text.length + 2;
  }
  const missing = items.length - shown.length + leftOut;
  if (missing > 0) shown.push(spend(formatOmitted(missing, "item"), cut));
  const [open, close] = [brackets.charAt(0), brackets.charAt(1)];
  if (shown.length === 0) return `${open}${close}`;
  const space = open === "[" ? "" : " ";
  if (width <= lineWidth) return `${open}${space}${shown.join(", ")}${space}${close}`;
  return `${open}\n${shown.map((item) => `${indent}  ${item}`).join(",\n")}\n${indent}${close}`;
}

function errorText(node: Extract<Node, { kind: "error" }>, cut: Cut, indent: string): string {
  const parts = [spend(`${node.class}${node.message === "" ? "" : `: ${node.message}`}`, cut)];
  if (isKind(node.fields, "object") && node.fields.entries.length > 0) parts.push(write(node.fields, cut, indent));
  if (node.errors !== undefined) parts.push(`errors: ${write(node.errors, cut, indent)}`);
  if (node.cause !== undefined) parts.push(`cause: ${write(node.cause, cut, indent)}`);
  return `[${parts.join(" ")}]`;
}

function quoted(head: string, length: number, { maxString }: Cut): string {
  const shown = head.slice(0, maxString);
  const text = JSON.stringify(shown);
  return shown.length === length ? text : `${text} ${formatOmitted(length - shown.length, "character")}`;
}

/** Start and end, as the end of a long text is often where it matters. */
function fitString(head: string, length: number, maxChars: number): string {
  const room = Math.max(0, maxChars - OMITTED_CHARS);
  const endChars = head.length === length ? Math.floor(room / 3) : 0;
  const start = head.slice(0, room - endChars);
  const end = endChars === 0 ? "" : head.slice(-endChars);
  return `${start}\n${formatOmitted(length - start.length - end.length, "character")}\n${end}`;
}

const keyText = (key: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(key) || key.startsWith("Symbol(") ? key : JSON.stringify(key);

function holdsLeftOut(node: Node): boolean {
  if (typeof node !== "object" || node === null) return false;
  if (Array.isArray(node)) return node.some(holdsLeftOut);
  switch (node.kind) {
    case "object":
      return node.leftOut > 0 || node.entries.some(([, item]) => holdsLeftOut(item));
    case "map":
      return node.leftOut > 0 || node.entries.some(([key, item]) => holdsLeftOut(key) || holdsLeftOut(item));
    case "set":
      return node.leftOut > 0 || node.items.some(holdsLeftOut);
    case "bytes":
      return node.length > node.items.length;
    case "string":
      return node.length > node.head.length;
    case "left_out":
      return true;
    default:
      return false;
  }
}

const isKind = <Kind extends string>(node: Node, kind: Kind): node is Extract<Node, { kind: Kind }> =>
  typeof node === "object" && node !== null && !Array.isArray(node) && node.kind === kind;
