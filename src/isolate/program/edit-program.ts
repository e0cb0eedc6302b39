// The insertions that make a module of a program: where it starts and ends, what it answers, where it throws and imports.

import type * as acorn from "acorn";
import { CodeFault, faultOf } from "./code-fault.ts";
import { Edits } from "./edits.ts";
import { refuseImport } from "./modules.ts";
import { offsetAt, type Position } from "./position.ts";
import { parseExpression, parseModule, parseProgram, walk, withoutParens } from "./syntax.ts";

type Locate = (offset: number) => Position;

/** Throws a CodeFault for what cannot run here. */
export function editProgram(text: string, locate: Locate): { edits: Edits; callMain: boolean } {
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
    checkModule(text, locate);
    walkInner(program, edits);
    return { edits, callMain: !program.body.some(exportsClass) };
  }
  for (const statement of moved) {
    edits.insert(0, `${text.slice(statement.start, statement.end).replaceAll("\n", " ")};`);
  }
  edits.insert(0, "export default async () => {");
  for (const statement of moved) edits.replace(statement.start, statement.end, "");
  const tails = new Set(tailExpressions(lastOf(program.body)));
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

function checkModule(text: string, locate: Locate): void {
  try {
    parseModule(text);
  } catch (error) {
    throw faultOf(error, text, (position) => locate(offsetAt(text, position)));
  }
}

function checkImport(source: acorn.Literal, locate: Locate): void {
  const refusal = refuseImport(String(source.value));
  if (refusal !== null) throw new CodeFault("ImportError", refusal, locate(source.start));
}

/** A semicolon of its own says nothing. */
const lastOf = <Statement extends acorn.AnyNode>(body: readonly Statement[]): Statement | undefined =>
  body.findLast(({ type }) => type !== "EmptyStatement");

/** The expressions whose value is the value of a program that ends with this statement. */
function tailExpressions(statement: acorn.AnyNode | null | undefined): acorn.AnyNode[] {
  switch (statement?.type) {
    case "ExpressionStatement":
      return [statement.expression];
    case "BlockStatement":
      return tailExpressions(lastOf(statement.body));
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
      if (rejectsWithNothing(node)) edits.insert(node.end - 1, "$thrown()");
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
  if (!isReject(node) || node.arguments.length !== 1) return null;
  const [argument] = node.arguments;
  return argument === undefined || argument.type === "SpreadElement" || argument.type === "NewExpression"
    ? null
    : argument;
}

const rejectsWithNothing = (node: acorn.AnyNode): boolean => isReject(node) && node.arguments.length === 0;

function isReject(node: acorn.AnyNode): node is acorn.CallExpression {
  if (node.type !== "CallExpression") return false;
  const { callee } = node;
  const named = callee.type === "MemberExpression" ? callee.property : callee;
  return named.type === "Identifier" && /^(rej|reject)$/.test(named.name);
}
