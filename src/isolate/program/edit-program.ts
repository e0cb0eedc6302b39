// The edits that turn a program into a module: a start and an end, the returned value, and marks where it throws and imports.

import type * as acorn from "acorn";
import MagicString from "magic-string";
import { CodeFault, toCodeFault } from "./code-fault.ts";
import { importRefusal } from "./modules.ts";
import { offsetAt, type Position } from "./position.ts";
import { parseExpression, parseModule, parseProgram, walk, withoutParens } from "./syntax.ts";

type Locate = (offset: number) => Position;

/** Throws a CodeFault for code that cannot run here. */
export function editProgram(text: string, locate: Locate): { edited: MagicString; callMain: boolean } {
  const edited = new MagicString(text);
  const expression = parseExpression(text);
  if (expression !== null) {
    editExpression(expression, edited);
    edited.remove(expression.end, text.length);
    return { edited, callMain: true };
  }
  const program = parseProgram(text);
  const isModule = program.body.some((statement) => statement.type.startsWith("Export"));
  const imports = program.body.filter((statement) => statement.type === "ImportDeclaration");
  for (const statement of program.body) {
    if ("source" in statement && statement.source) checkImport(statement.source, locate);
  }
  if (isModule) {
    checkModule(text, locate);
    walkInner(program, edited);
    return { edited, callMain: !program.body.some(exportsClass) };
  }
  for (const statement of imports) {
    edited.appendLeft(0, `${text.slice(statement.start, statement.end).replaceAll("\n", " ")};`);
  }
  edited.appendLeft(0, "export default async () => {");
  for (const statement of imports) edited.remove(statement.start, statement.end);
  const tails = new Set(tailExpressions(lastOf(program.body)));
  walkInner(program, edited, tails);
  edited.appendLeft(text.length, "\n}");
  return { edited, callMain: true };
}

/** An expression that is a function is called; any other expression is the value. */
function editExpression(expression: acorn.Expression, edited: MagicString): void {
  const inner = withoutParens(expression).type;
  const isFunction = inner === "ArrowFunctionExpression" || inner === "FunctionExpression";
  edited.appendLeft(0, `export default async ($argument) => { return (`);
  walkInner(expression, edited);
  edited.appendLeft(expression.end, `\n)${isFunction ? "($argument)" : ""} }`);
}

const exportsClass = (statement: acorn.Program["body"][number]): boolean =>
  statement.type === "ExportDefaultDeclaration" && statement.declaration.type.startsWith("Class");

function checkModule(text: string, locate: Locate): void {
  try {
    parseModule(text);
  } catch (error) {
    throw toCodeFault(error, text, (position) => locate(offsetAt(text, position)));
  }
}

function checkImport(source: acorn.Literal, locate: Locate): void {
  const refusal = importRefusal(String(source.value));
  if (refusal !== null) throw new CodeFault("ImportError", refusal, locate(source.start));
}

/** The last statement; lone semicolons do not count. */
const lastOf = <Statement extends acorn.AnyNode>(body: readonly Statement[]): Statement | undefined =>
  body.findLast(({ type }) => type !== "EmptyStatement");

/** The expressions that give a program its value when it ends with this statement. */
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

/**
 * Records where values are thrown ($thrown), routes `import()` through the harness ($import), and returns the tail
 * expressions.
 */
function walkInner(root: acorn.AnyNode, edited: MagicString, tails: ReadonlySet<acorn.AnyNode> = new Set()): void {
  const thrownValues = new Set<acorn.AnyNode>();
  walk(
    root,
    (node) => {
      if (tails.has(node)) edited.appendLeft(node.start, "return (");
      if (thrownValues.has(node)) edited.appendLeft(node.start, "$thrown((");
      if (rejectsWithNothing(node)) edited.appendLeft(node.end - 1, "$thrown()");
      if (node.type === "ImportExpression") edited.update(node.start, node.start + "import".length, "$import");
      const thrown = thrownValue(node);
      if (thrown !== null) thrownValues.add(thrown);
    },
    (node) => {
      if (thrownValues.has(node)) edited.appendLeft(node.end, "))");
      if (tails.has(node)) edited.appendLeft(node.end, ")");
    },
  );
}

/** What `throw x`, `reject(x)` and `Promise.reject(x)` throw; null for `new X()`, whose stack already shows the place. */
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
  const name = callee.type === "MemberExpression" ? callee.property : callee;
  return name.type === "Identifier" && /^(rej|reject)$/.test(name.name);
}
