// Formats one log entry as a console does: strings without quotes, format specifiers such as `%s` filled in, tables drawn,
// and warnings and errors marked.

import { formatOmitted } from "../../format/truncate.ts";
import { formatValue } from "./format-value.ts";
import type { Node } from "./node.ts";
import { readTree } from "./read-tree.ts";

/** Null for a value that is not a log entry; it comes from the isolate and is not trusted. */
export function formatLog(entry: unknown): string | null {
  if (typeof entry !== "object" || entry === null) return null;
  const fields = new Map<string, unknown>(Object.entries(entry));
  const [level, indent, parts] = ["level", "indent", "parts"].map((name) => fields.get(name));
  if (typeof level !== "string" || !Array.isArray(parts)) return null;
  const depth = typeof indent === "number" && indent > 0 && indent <= 20 ? Math.floor(indent) : 0;
  const nodes = parts.map((part) => readTree(part));
  const text = `${marks[level] ?? ""}${level === "table" ? formatTable(nodes) : formatLine(nodes)}`;
  return depth === 0 ? text : text.replace(/^/gm, "  ".repeat(depth));
}

const marks: Record<string, string> = {
  debug: "[debug] ",
  warn: "[warn] ",
  error: "[error] ",
  trace: "[trace] ",
  assert: "[error] Assertion failed: ",
};

function formatLine(nodes: Node[]): string {
  const [first, ...rest] = nodes;
  if (first === undefined) return "";
  if (typeof first !== "string" || !/%[sdifjoOc%]/.test(first)) return nodes.map(plainText).join(" ");
  const used = [...rest];
  const line = first.replace(/%([sdifjoOc%])/g, (format, kind: string) => {
    if (kind === "%") return "%";
    if (used.length === 0) return format;
    const node = used.shift() ?? null;
    switch (kind) {
      case "c":
        return "";
      case "d":
      case "f":
        return typeof node === "string" ? String(Number(node)) : plainText(node);
      case "i":
        return String(Math.trunc(Number(plainText(node))));
      case "s":
        return plainText(node);
      default:
        return formatValue(node);
    }
  });
  return [line, ...used.map(plainText)].join(" ");
}

/** A string without quotes, also one that was cut; other values as a console shows them. */
function plainText(node: Node): string {
  if (typeof node === "string") return node;
  if (typeof node !== "object" || node === null || Array.isArray(node) || node.kind !== "string")
    return formatValue(node);
  return `${node.head} ${formatOmitted(node.length - node.head.length, "character")}`;
}

function formatTable(nodes: Node[]): string {
  const [data] = nodes;
  const rows = data === undefined ? null : rowsOf(data);
  if (rows === null) return formatLine(nodes);
  const columns = [...new Set(rows.flatMap(({ cells }) => [...cells.keys()]))];
  const lines = [
    ["(index)", ...columns],
    ...rows.map(({ name, cells }) => [name, ...columns.map((column) => cells.get(column) ?? "")]),
  ];
  const widths = ["(index)", ...columns].map((_, index) =>
    Math.max(...lines.map((line) => (line[index] ?? "").length)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

interface Row {
  name: string;
  cells: Map<string, string>;
}

function rowsOf(node: Node): Row[] | null {
  if (Array.isArray(node)) return node.map((item, index) => ({ name: String(index), cells: cellsOf(item) }));
  if (typeof node !== "object" || node === null) return null;
  if (node.kind === "object") return node.entries.map(([name, item]) => ({ name, cells: cellsOf(item) }));
  if (node.kind === "map") return node.entries.map(([key, item]) => ({ name: plainText(key), cells: cellsOf(item) }));
  return null;
}

function cellsOf(node: Node): Map<string, string> {
  if (Array.isArray(node)) return new Map(node.map((item, index) => [String(index), plainText(item)]));
  if (typeof node === "object" && node !== null && node.kind === "object" && node.class === "") {
    return new Map(node.entries.map(([key, item]) => [key, plainText(item)]));
  }
  return new Map([["value", plainText(node)]]);
}
