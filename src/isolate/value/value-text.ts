// A value in the notation of a JavaScript console, for what JSON cannot say and for what has to be cut. A cut keeps the
// structure: each list shows its first items and how many there are, each string its start.

import type { Node } from "./node.ts";

export interface Cut {
  /** Of each list and object. */
  maxItems: number;
  /** Of each string. */
  maxString: number;
}

export const whole: Cut = { maxItems: Number.POSITIVE_INFINITY, maxString: Number.POSITIVE_INFINITY };

const lineWidth = 100;

export function valueText(node: Node, cut: Cut = whole): string {
  return write(node, cut, "");
}

/** The fullest text that fits, and whether it is all of it. */
export function fitValueText(node: Node, maxChars: number): { text: string; cut: boolean } {
  const all = valueText(node);
  if (all.length <= maxChars) return { text: all, cut: holdsLeftOut(node) };
  if (typeof node === "string") return { text: fitString(node, node.length, maxChars), cut: true };
  if (isKind(node, "string")) return { text: fitString(node.head, node.length, maxChars), cut: true };
  let best = valueText(node, { maxItems: 0, maxString: 20 }).slice(0, maxChars);
  for (let low = 1, high = 10_000; low <= high; ) {
    const middle = Math.floor((low + high) / 2);
    const text = valueText(node, { maxItems: middle, maxString: 40 * middle });
    if (text.length <= maxChars) {
      best = text;
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  return { text: best, cut: true };
}

function write(node: Node, cut: Cut, indent: string): string {
  if (typeof node === "string") return quoted(node, node.length, cut);
  if (typeof node !== "object" || node === null) return String(node);
  if (Array.isArray(node))
    return list(
      "",
      "[",
      "]",
      node.map((item) => () => write(item, cut, `${indent}  `)),
      0,
      cut,
      indent,
    );
  switch (node.kind) {
    case "object":
      return list(
        node.class,
        "{",
        "}",
        node.entries.map(
          ([key, item]) =>
            () =>
              `${keyText(key)}: ${write(item, cut, `${indent}  `)}`,
        ),
        node.leftOut,
        cut,
        indent,
      );
    case "map":
      return list(
        `Map(${node.entries.length + node.leftOut})`,
        "{",
        "}",
        node.entries.map(
          ([key, item]) =>
            () =>
              `${write(key, cut, `${indent}  `)} => ${write(item, cut, `${indent}  `)}`,
        ),
        node.leftOut,
        cut,
        indent,
      );
    case "set":
      return list(
        `Set(${node.items.length + node.leftOut})`,
        "{",
        "}",
        node.items.map((item) => () => write(item, cut, `${indent}  `)),
        node.leftOut,
        cut,
        indent,
      );
    case "bytes":
      return list(
        `${node.class}(${node.length})`,
        "[",
        "]",
        node.items.map((item) => () => write(item, cut, indent)),
        node.length - node.items.length,
        cut,
        indent,
      );
    case "error":
      return errorText(node, cut, indent);
    case "string":
      return quoted(node.head, node.length, cut);
    case "holes":
      return `<${node.count} empty>`;
    case "left_out":
      return `… ${node.count} more`;
    case "word":
      return node.text;
  }
}

function list(
  name: string,
  open: string,
  close: string,
  items: (() => string)[],
  leftOut: number,
  cut: Cut,
  indent: string,
): string {
  const shown = items.slice(0, cut.maxItems).map((item) => item());
  const missing = items.length - shown.length + leftOut;
  if (missing > 0) shown.push(`… ${missing} more`);
  const prefix = name === "" ? "" : `${name} `;
  if (shown.length === 0) return `${prefix}${open}${close}`;
  const inline = `${prefix}${open} ${shown.join(", ")} ${close}`;
  if (inline.length + indent.length <= lineWidth && !inline.includes("\n"))
    return open === "[" ? inline.replace(`${open} `, open).replace(/ \]$/, "]") : inline;
  return `${prefix}${open}\n${shown.map((item) => `${indent}  ${item}`).join(",\n")}\n${indent}${close}`;
}

function errorText(node: Extract<Node, { kind: "error" }>, cut: Cut, indent: string): string {
  const parts = [`${node.class}${node.message === "" ? "" : `: ${node.message}`}`];
  if (isKind(node.fields, "object") && node.fields.entries.length > 0) parts.push(write(node.fields, cut, indent));
  if (node.errors !== undefined) parts.push(`errors: ${write(node.errors, cut, indent)}`);
  if (node.cause !== undefined) parts.push(`cause: ${write(node.cause, cut, indent)}`);
  return `[${parts.join(" ")}]`;
}

const quoted = (head: string, length: number, cut: Cut): string => {
  const shown = head.slice(0, cut.maxString);
  return shown.length === length
    ? JSON.stringify(shown)
    : `${JSON.stringify(shown)} … ${length - shown.length} more characters`;
};

/** Start and end, as the end of a long text is often where it matters. */
function fitString(head: string, length: number, maxChars: number): string {
  const room = Math.max(0, maxChars - 60);
  const endChars = head.length === length ? Math.floor(room / 3) : 0;
  const start = head.slice(0, room - endChars);
  const end = endChars === 0 ? "" : head.slice(-endChars);
  return `${start}\n… ${length - start.length - end.length} characters left out …\n${end}`;
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
