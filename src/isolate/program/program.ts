// Generated code, made into the module that the harness imports. An expression, statements (the last expression is the
// value), a body with `return`, a function, or a module with its own exports: the text stays as it is but for what is inserted
// at places that the parser found, and every place in the module leads back to the line and column in the text that was given.

import type * as acorn from "acorn";
import { Edits } from "./edits.ts";
import { refuseImport } from "./modules.ts";
import { offsetAt, type Position, positionAt } from "./position.ts";
import { type Stripped, stripTypes } from "./strip-types.ts";
import { parseExpression, parseProgram, walk, withoutParens } from "./syntax.ts";
import { opensWithFence, unfence } from "./unfence.ts";

export interface Program {
  source: string;
  /** The default export is a function to call; what it returns is the value. */
  callMain: boolean;
  /** It may use what the platform has for Node (and a start with it takes longer). */
  usesNode: boolean;
  /** From a place in `source` to the one in the text that was given. */
  original(position: Position): Position;
}

export class CodeFault extends Error {
  readonly position: Position | null;

  constructor(name: string, message: string, position: Position | null) {
    super(message);
    this.name = name;
    this.position = position;
  }
}

/** Throws a CodeFault where the text is not code that can run here. */
export function prepareProgram(given: string): Program {
  const { text, original } = readCode(blankOut(given));
  const { edits, callMain } = editProgram(text, (offset) => original(positionAt(text, offset)));
  const made = edits.apply(text);
  return {
    source: made.text,
    callMain,
    usesNode: /\b(Buffer|process|setImmediate|global|import)\b/.test(text),
    original: (position) => original(positionAt(text, made.originalOffset(offsetAt(made.text, position)))),
  };
}

/** What no parser takes, replaced by as many spaces. */
const blankOut = (given: string): string =>
  given
    .replaceAll("\r\n", " \n")
    .replace(/^\uFEFF/, " ")
    .replace(/^#![^\n]*/, (line) => " ".repeat(line.length));

/** The JavaScript in what was given: out of its fence, and without types. */
function readCode(given: string): Stripped {
  const first = opensWithFence(given) ? (unfence(given) ?? given) : given;
  try {
    return readTypeScript(first);
  } catch (fault) {
    const inner = first === given ? unfence(given) : null;
    if (inner === null) throw fault;
    return readTypeScript(inner);
  }
}

function readTypeScript(text: string): Stripped {
  const asJavaScript = tryParse(text);
  if (asJavaScript === null) return { text, original: (position) => position };
  let stripped: Stripped;
  try {
    stripped = stripTypes(text);
  } catch (error) {
    const asTypeScript = faultOf(error, text, (position) => position);
    // Whoever came further understood more of it.
    throw isAfter(asTypeScript.position, asJavaScript.position) ? asTypeScript : asJavaScript;
  }
  const fault = tryParse(stripped.text, stripped.original);
  if (fault !== null) throw fault;
  return stripped;
}

function tryParse(text: string, original = (position: Position) => position): CodeFault | null {
  if (parseExpression(text) !== null) return null;
  try {
    parseProgram(text);
    return null;
  } catch (error) {
    return faultOf(error, text, original);
  }
}

/** Of acorn (`pos`) or sucrase (`loc`). */
function faultOf(error: unknown, text: string, original: (position: Position) => Position): CodeFault {
  if (error instanceof RangeError) return new CodeFault("SyntaxError", "The code is nested too deeply", null);
  if (!(error instanceof Error)) throw error;
  const message = error.message.replace(/^Error transforming [^:]*: /, "").replace(/ \(\d+:\d+\)$/, "");
  const position = "pos" in error && typeof error.pos === "number" ? original(positionAt(text, error.pos)) : null;
  return new CodeFault("SyntaxError", message, position);
}

const isAfter = (a: Position | null, b: Position | null): boolean =>
  a !== null && (b === null || a.line > b.line || (a.line === b.line && a.column > b.column));

type Locate = (offset: number) => Position;

function editProgram(text: string, locate: Locate): { edits: Edits; callMain: boolean } {
  const edits = new Edits();
  const expression = parseExpression(text);
  if (expression !== null) {
    editExpression(expression, edits);
    edits.replace(expression.end, text.length, "");
    return { edits, callMain: true };
  }
  const program = parseProgram(text);
  const exported = program.body.some((statement) => statement.type.startsWith("Export"));
  const moved = program.body.filter((statement) => statement.type === "ImportDeclaration");
  for (const statement of program.body) {
    if ("source" in statement && statement.source) checkImport(statement.source, locate);
  }
  if (exported) {
    walkInner(program, edits);
    return { edits, callMain: !program.body.some(exportsClass) };
  }
  for (const statement of moved) {
    edits.insert(0, `${text.slice(statement.start, statement.end).replaceAll("\n", " ")};`);
  }
  edits.insert(0, "export default async () => {");
  for (const statement of moved) edits.replace(statement.start, statement.end, "");
  const tails = new Set(program.body.slice(-1).flatMap(tailExpressions));
  walkInner(program, edits, tails);
  edits.insert(text.length, "\n}");
  return { edits, callMain: true };
}

/** A function is called; anything else is the value. */
function editExpression(expression: acorn.Expression, edits: Edits): void {
  const inner = withoutParens(expression).type;
  const isFunction = inner === "ArrowFunctionExpression" || inner === "FunctionExpression";
  edits.insert(0, `export default async ($argument) => { return (`);
  walkInner(expression, edits);
  edits.insert(expression.end, `\n)${isFunction ? "($argument)" : ""} }`);
}

const exportsClass = (statement: acorn.Program["body"][number]): boolean =>
  statement.type === "ExportDefaultDeclaration" && statement.declaration.type.startsWith("Class");

function checkImport(source: acorn.Literal, locate: Locate): void {
  const refusal = refuseImport(String(source.value));
  if (refusal !== null) throw new CodeFault("ImportError", refusal, locate(source.start));
}

/** The expressions whose value is the value of a program that ends with this statement. */
function tailExpressions(statement: acorn.AnyNode | null | undefined): acorn.AnyNode[] {
  switch (statement?.type) {
    case "ExpressionStatement":
      return [statement.expression];
    case "BlockStatement":
      return tailExpressions(statement.body.at(-1));
    case "IfStatement":
      return [...tailExpressions(statement.consequent), ...tailExpressions(statement.alternate)];
    case "TryStatement":
      return [...tailExpressions(statement.block), ...tailExpressions(statement.handler?.body)];
    default:
      return [];
  }
}

/** Notes where values are thrown, leads `import()` through the harness, and returns the tails. */
function walkInner(root: acorn.AnyNode, edits: Edits, tails: ReadonlySet<acorn.AnyNode> = new Set()): void {
  const noted = new Set<acorn.AnyNode>();
  walk(
    root,
    (node) => {
      if (tails.has(node)) edits.insert(node.start, "return (");
      if (noted.has(node)) edits.insert(node.start, "$thrown((");
      if (node.type === "ImportExpression") edits.replace(node.start, node.start + "import".length, "$import");
      const thrown = thrownValue(node);
      if (thrown !== null) noted.add(thrown);
    },
    (node) => {
      if (noted.has(node)) edits.insert(node.end, "))");
      if (tails.has(node)) edits.insert(node.end, ")");
    },
  );
}

/** What `throw x`, `reject(x)` and `Promise.reject(x)` throw, unless it is made there and has a stack of its own. */
function thrownValue(node: acorn.AnyNode): acorn.AnyNode | null {
  if (node.type === "ThrowStatement") return node.argument.type === "NewExpression" ? null : node.argument;
  if (node.type !== "CallExpression" || node.arguments.length !== 1) return null;
  const {
    callee,
    arguments: [argument],
  } = node;
  const name =
    callee.type === "Identifier"
      ? callee.name
      : callee.type === "MemberExpression" && callee.property.type === "Identifier"
        ? callee.property.name
        : "";
  if (!/^(rej|reject)$/.test(name) || argument === undefined) return null;
  return argument.type === "SpreadElement" || argument.type === "NewExpression" ? null : argument;
}
