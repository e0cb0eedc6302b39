// A value that came out of an isolate, as data: JSON values are themselves, and every other kind has a tagged object.
// read-tree.ts makes nodes from untrusted text; format-value.ts formats them, and to-json.ts converts those that are JSON
// throughout.

export type Node =
  | null
  | boolean
  | number
  | string
  | Node[]
  | { kind: "object"; class: string; entries: [string, Node][]; omitted: number }
  | { kind: "map"; entries: [Node, Node][]; omitted: number }
  | { kind: "set"; items: Node[]; omitted: number }
  | { kind: "error"; class: string; message: string; fields: Node; cause: Node | undefined; errors: Node | undefined }
  | { kind: "bytes"; class: string; length: number; items: Node[] }
  /** The start of a string of `length` UTF-16 units. */
  | { kind: "string"; head: string; length: number }
  /** Consecutive missing elements of a sparse array. */
  | { kind: "holes"; count: number }
  /** Items that were omitted because the value is too large. */
  | { kind: "omitted"; count: number }
  /** Text that is shown as it is: `1n`, `undefined`, `[Function f]`. */
  | { kind: "literal"; text: string };
