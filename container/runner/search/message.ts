// Parses one line of ripgrep's JSON output by hand: a validating schema would cost more than the search.

export interface Text {
  /** Bytes that are not UTF-8 are shown as U+FFFD. */
  text: string;
  /** The raw bytes when they are not UTF-8, else null. */
  bytes: Buffer | null;
}

export type Message =
  | { type: "begin"; path: Text }
  | { type: "line"; hit: boolean; lines: Text; line: number; offset: number; start: number; end: number; match: Text }
  | { type: "end"; binaryOffset: number | null }
  | { type: "other" };

export function readMessage(record: Buffer): Message {
  const message: unknown = JSON.parse(record.toString("utf8"));
  const data = field(message, "data");
  switch (field(message, "type")) {
    case "begin":
      return { type: "begin", path: readText(field(data, "path")) };
    case "match":
      return readLine(data, true);
    case "context":
      return readLine(data, false);
    case "end": {
      const offset = field(data, "binary_offset");
      return { type: "end", binaryOffset: typeof offset === "number" ? offset : null };
    }
    default:
      return { type: "other" };
  }
}

function readLine(data: unknown, hit: boolean): Message {
  const submatches = field(data, "submatches");
  const first: unknown = Array.isArray(submatches) ? submatches[0] : undefined;
  return {
    type: "line",
    hit,
    lines: readText(field(data, "lines")),
    line: readNumber(data, "line_number"),
    offset: readNumber(data, "absolute_offset"),
    start: readNumber(first, "start"),
    end: readNumber(first, "end"),
    match: readText(field(first, "match")),
  };
}

function readText(value: unknown): Text {
  const text = field(value, "text");
  if (typeof text === "string") return { text, bytes: null };
  const base64 = field(value, "bytes");
  const bytes = Buffer.from(typeof base64 === "string" ? base64 : "", "base64");
  return { text: bytes.toString("utf8"), bytes };
}

function readNumber(value: unknown, name: string): number {
  const number = field(value, name);
  return typeof number === "number" ? number : 0;
}

function field(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** Tells lines from other messages without parsing them, for files whose lines are not wanted. */
export const isLineRecord = (record: Buffer): boolean => /^\{"type":"(m|c)/.test(record.toString("latin1", 0, 10));
