// A value that came out of an isolate, as data: what JSON can say is itself, all else is named. Made by read-tree.ts from
// text that is not trusted; said by value-text.ts and, where it is JSON throughout, by to-json.ts.

export type Node =
  | null
  | boolean
  | number
  | string
  | Node[]
  | { kind: "object"; class: string; entries: [string, Node][]; leftOut: number }
  | { kind: "map"; entries: [Node, Node][]; leftOut: number }
  | { kind: "set"; items: Node[]; leftOut: number }
  | { kind: "error"; class: string; message: string; fields: Node; cause: Node | undefined; errors: Node | undefined }
  | { kind: "bytes"; class: string; length: number; items: Node[] }
  /** The start of a string of `length` UTF-16 units. */
  | { kind: "string"; head: string; length: number }
  /** Elements of an array that are not there. */
  | { kind: "holes"; count: number }
  /** Items that were not written down, for their size. */
  | { kind: "left_out"; count: number }
  /** Said as it is: `1n`, `undefined`, `[Function f]`. */
  | { kind: "word"; text: string };
