// JavaScript as acorn reads it, and the little of its tree that is used here.

import * as acorn from "acorn";

const options = {
  ecmaVersion: "latest",
  sourceType: "module",
  allowAwaitOutsideFunction: true,
  // Models write the body of a function.
  allowReturnOutsideFunction: true,
  preserveParens: true,
} as const satisfies acorn.Options;

/** Throws a SyntaxError with `pos`. */
export const parseProgram = (text: string): acorn.Program => acorn.parse(text, options);

/** The same for a text that has exports and so stays a module, in which nothing returns. */
export const parseModule = (text: string): acorn.Program =>
  acorn.parse(text, { ...options, allowReturnOutsideFunction: false });

/** The expression that the whole text is; null where it is more than one, or none. */
export function parseExpression(text: string): acorn.Expression | null {
  let body: acorn.Program["body"];
  try {
    body = parseProgram(text).body.filter(({ type }) => type !== "EmptyStatement");
  } catch {
    return parseAsExpression(text);
  }
  const [first] = body;
  if (body.length === 1 && first?.type === "ExpressionStatement") return first.expression;
  // `{a: 1}` is meant as an object, and a function that stands alone as the program.
  const other = first?.type === "BlockStatement" || (body.length === 1 && /^(Function|Class)/.test(first?.type ?? ""));
  return other ? parseAsExpression(text) : null;
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

/** Every node, parents first; `leave` is called when the children of one have been visited. */
export function walk(
  root: acorn.AnyNode,
  enter: (node: acorn.AnyNode) => void,
  leave: (node: acorn.AnyNode) => void,
): void {
  enter(root);
  for (const child of Object.values(root)) {
    if (Array.isArray(child)) for (const item of child) visitChild(item, enter, leave);
    else visitChild(child, enter, leave);
  }
  leave(root);
}

function visitChild(child: unknown, enter: (node: acorn.AnyNode) => void, leave: (node: acorn.AnyNode) => void): void {
  if (isNode(child)) walk(child, enter, leave);
}

const isNode = (value: unknown): value is acorn.AnyNode =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

export function withoutParens(node: acorn.Expression): acorn.Expression {
  return node.type === "ParenthesizedExpression" ? withoutParens(node.expression) : node;
}
