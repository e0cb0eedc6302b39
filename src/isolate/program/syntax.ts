// Parses JavaScript with acorn and walks its syntax tree.

import * as acorn from "acorn";
import { type Node, walk as walkEstree } from "estree-walker";

const options = {
  ecmaVersion: "latest",
  sourceType: "module",
  allowAwaitOutsideFunction: true,
  // Models often write a function body.
  allowReturnOutsideFunction: true,
  preserveParens: true,
} as const satisfies acorn.Options;

/** Throws a SyntaxError with `pos`. */
export const parseProgram = (text: string): acorn.Program => acorn.parse(text, options);

/** For text with exports, which stays a module, where `return` is not allowed. */
export const parseModule = (text: string): acorn.Program =>
  acorn.parse(text, { ...options, allowReturnOutsideFunction: false });

/** The expression that the whole text consists of; null when it is not exactly one expression. */
export function parseExpression(text: string): acorn.Expression | null {
  let body: acorn.Program["body"];
  try {
    body = parseProgram(text).body.filter(({ type }) => type !== "EmptyStatement");
  } catch {
    return parseAsExpression(text);
  }
  const [first] = body;
  if (body.length === 1 && first?.type === "ExpressionStatement") return first.expression;
  // `{a: 1}` alone is meant as an object, and a lone function or class as the program.
  const mayBeExpression =
    first?.type === "BlockStatement" || (body.length === 1 && /^(Function|Class)/.test(first?.type ?? ""));
  return mayBeExpression ? parseAsExpression(text) : null;
}

function parseAsExpression(text: string): acorn.Expression | null {
  try {
    const expression = acorn.parseExpressionAt(text, 0, options);
    const rest = parseProgram(text.slice(expression.end).replace(/^\s*;/, ""));
    return rest.body.length === 0 ? expression : null;
  } catch {
    return null;
  }
}

/** Visits every node: `enter` before its children, `leave` after them. */
export function walk(
  root: acorn.AnyNode,
  enter: (node: acorn.AnyNode) => void,
  leave: (node: acorn.AnyNode) => void,
): void {
  // The library is typed for ESTree, and acorn's nodes are ESTree nodes with different type declarations.
  walkEstree(root as Node, {
    enter: (node) => enter(node as acorn.AnyNode),
    leave: (node) => leave(node as acorn.AnyNode),
  });
}

export function withoutParens(node: acorn.Expression): acorn.Expression {
  return node.type === "ParenthesizedExpression" ? withoutParens(node.expression) : node;
}
