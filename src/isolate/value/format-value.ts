// Formats a value in the notation of a JavaScript console, for values that JSON cannot express or that must be cut. A cut
// keeps the structure: each list shows its first items and the number of the others, and each string its start.

import { formatOmitted, OMITTED_CHARS } from "../../format/truncate.ts";
import type { Node } from "./node.ts";

interface Budget {
  /** The most items of each list and object. */
  maxItems: number;
  /** The most characters of each string. */
  maxString: number;
  /** Characters that may still be written. Once it is negative, the text is discarded. */
  remaining: number;
}

const lineWidth = 100;

/** The complete text, for values that are known to be small. */
export const formatValue = (node: Node): string => write(node, unlimited(Number.POSITIVE_INFINITY), "");

/** The fullest text that fits into `maxChars`, and whether anything is missing. */
export function formatValueWithin(node: Node, maxChars: number): { text: string; cut: boolean } {
  const budget = unlimited(maxChars);
  const all = write(node, budget, "");
  if (budget.remaining >= 0) return { text: all, cut: hasOmissions(node) };
  if (typeof node === "string") return { text: fitString(node, node.length, maxChars), cut: true };
  if (isKind(node, "string")) return { text: fitString(node.head, node.length, maxChars), cut: true };
  let best = "…";
  for (let low = 0, high = 10_000; low <= high; ) {
    const middle = Math.floor((low + high) / 2);
    const attempt: Budget = { maxItems: middle, maxString: 40 * (middle + 1), remaining: maxChars };
    const text = write(node, attempt, "");
    if (attempt.remaining >= 0) {
      best = text;
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  return { text: best, cut: true };
}

const unlimited = (maxChars: number): Budget => ({
  maxItems: Number.POSITIVE_INFINITY,
  maxString: Number.POSITIVE_INFINITY,
  remaining: maxChars,
});

/** Stops early, with a useless text, once the budget is exceeded. */
function write(node: Node, budget: Budget, indent: string): string {
  if (budget.remaining < 0) return "";
  if (typeof node !== "object" || node === null) return spend(scalarText(node, budget), budget);
  const inner = `${indent}  `;
  if (Array.isArray(node)) return list("[]", node, 0, (item) => write(item, budget, inner), budget, indent);
  switch (node.kind) {
    case "object": {
      const entry = ([key, item]: [string, Node]) =>
        `${spend(`${keyText(key)}: `, budget)}${write(item, budget, inner)}`;
      return named(node.class, budget, list("{}", node.entries, node.omitted, entry, budget, indent));
    }
    case "map": {
      const entry = ([key, item]: [Node, Node]) =>
        `${write(key, budget, inner)}${spend(" => ", budget)}${write(item, budget, inner)}`;
      const size = node.entries.length + node.omitted;
      return named(`Map(${size})`, budget, list("{}", node.entries, node.omitted, entry, budget, indent));
    }
    case "set": {
      const size = node.items.length + node.omitted;
      return named(
        `Set(${size})`,
        budget,
        list("{}", node.items, node.omitted, (item) => write(item, budget, inner), budget, indent),
      );
    }
    case "bytes": {
      const omitted = node.length - node.items.length;
      const items = list("[]", node.items, omitted, (item) => write(item, budget, inner), budget, indent);
      return named(`${node.class}(${node.length})`, budget, items);
    }
    case "error":
      return errorText(node, budget, indent);
    case "string":
      return spend(quoted(node.head, node.length, budget), budget);
    case "holes":
      return spend(`<${node.count} empty>`, budget);
    case "omitted":
      return spend(formatOmitted(node.count, "item"), budget);
    case "literal":
      return spend(node.text, budget);
  }
}

const scalarText = (value: string | number | boolean | null, budget: Budget): string =>
  typeof value === "string" ? quoted(value, value.length, budget) : String(value);

function spend(text: string, budget: Budget): string {
  budget.remaining -= text.length;
  return text;
}

const named = (name: string, budget: Budget, text: string): string =>
  name === "" ? text : `${spend(`${name} `, budget)}${text}`;

function list<Item>(
  brackets: "[]" | "{}",
  items: readonly Item[],
  omitted: number,
  format: (item: Item) => string,
  budget: Budget,
  indent: string,
): string {
  const shown: string[] = [];
  // The brackets take up to four characters.
  budget.remaining -= 4;
  let width = indent.length;
  for (const item of items.slice(0, budget.maxItems)) {
    const text = format(item);
    // Each item may get a line of its own.
    budget.remaining -= indent.length + 4;
    if (budget.remaining < 0) return "";
    shown.push(text);
    width += text.includes("\n") ? lineWidth : text.length + 2;
  }
  const missing = items.length - shown.length + omitted;
  if (missing > 0) shown.push(spend(formatOmitted(missing, "item"), budget));
  const [open, close] = [brackets.charAt(0), brackets.charAt(1)];
  if (shown.length === 0) return `${open}${close}`;
  const space = open === "[" ? "" : " ";
  if (width <= lineWidth) return `${open}${space}${shown.join(", ")}${space}${close}`;
  return `${open}\n${shown.map((item) => `${indent}  ${item}`).join(",\n")}\n${indent}${close}`;
}

function errorText(node: Extract<Node, { kind: "error" }>, budget: Budget, indent: string): string {
  const parts = [spend(`${node.class}${node.message === "" ? "" : `: ${node.message}`}`, budget)];
  if (isKind(node.fields, "object") && node.fields.entries.length > 0) parts.push(write(node.fields, budget, indent));
  if (node.errors !== undefined) parts.push(`errors: ${write(node.errors, budget, indent)}`);
  if (node.cause !== undefined) parts.push(`cause: ${write(node.cause, budget, indent)}`);
  return `[${parts.join(" ")}]`;
}

function quoted(head: string, length: number, { maxString }: Budget): string {
  const shown = head.slice(0, maxString);
  const text = JSON.stringify(shown);
  return shown.length === length ? text : `${text} ${formatOmitted(length - shown.length, "character")}`;
}

/** The start and the end: the end of a long text is often what matters. */
function fitString(head: string, length: number, maxChars: number): string {
  const room = Math.max(0, maxChars - OMITTED_CHARS);
  const endChars = head.length === length ? Math.floor(room / 3) : 0;
  const start = head.slice(0, room - endChars);
  const end = endChars === 0 ? "" : head.slice(-endChars);
  return `${start}\n${formatOmitted(length - start.length - end.length, "character")}\n${end}`;
}

const keyText = (key: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(key) || key.startsWith("Symbol(") ? key : JSON.stringify(key);

function hasOmissions(node: Node): boolean {
  if (typeof node !== "object" || node === null) return false;
  if (Array.isArray(node)) return node.some(hasOmissions);
  switch (node.kind) {
    case "object":
      return node.omitted > 0 || node.entries.some(([, item]) => hasOmissions(item));
    case "map":
      return node.omitted > 0 || node.entries.some(([key, item]) => hasOmissions(key) || hasOmissions(item));
    case "set":
      return node.omitted > 0 || node.items.some(hasOmissions);
    case "bytes":
      return node.length > node.items.length;
    case "string":
      return node.length > node.head.length;
    case "omitted":
      return true;
    default:
      return false;
  }
}

const isKind = <Kind extends string>(node: Node, kind: Kind): node is Extract<Node, { kind: Kind }> =>
  typeof node === "object" && node !== null && !Array.isArray(node) && node.kind === kind;
