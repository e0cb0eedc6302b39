// What models write, from an expression to a module, and exactly what comes back.

import { afterAll, beforeAll, expect, test } from "vitest";
import { type Answer, type Fixture, startFixture } from "./fixture/start.ts";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

const notJson = "The value is not JSON; it is shown as a console would show it.";
const nothing = "No value was returned: end with an expression, or return one.";

type Expected = Partial<Pick<Answer, "value" | "value_text" | "logs" | "notice" | "error">>;

const value = (value: unknown): Expected => ({ value });
const text = (value_text: string): Expected => ({ value_text, notice: notJson });
const none: Expected = { notice: nothing };
const at = (line: number, column: number, excerpt: string) => ({ line, column, excerpt });

const rows: [title: string, code: string, expected: Expected][] = [
  // Expressions
  ["a sum", "1 + 1", value(2)],
  ["a sum with a semicolon and a comment", "1 + 1; // two", value(2)],
  ["a string", "'hello'", value("hello")],
  ["an object literal", "{a: 1}", value({ a: 1 })],
  ["an object literal of two", "{a: 1, 'b-c': [2]}", value({ a: 1, "b-c": [2] })],
  ["an empty object", "{}", value({})],
  ["an object in parentheses", "({ a: 1 })", value({ a: 1 })],
  ["a list", "[1, 'two', null, true]", value([1, "two", null, true])],
  ["null", "null", value(null)],
  ["false", "false", value(false)],
  ["zero", "0", value(0)],
  ["an empty string", "''", value("")],
  ["an await", "await Promise.resolve(5)", value(5)],
  ["a promise", "Promise.resolve({ a: 1 })", value({ a: 1 })],
  [
    "promises inside a value",
    "({ a: Promise.resolve(1), b: [Promise.resolve([Promise.resolve(2)])] })",
    value({ a: 1, b: [[2]] }),
  ],
  ["a comma expression", "(1, 2)", value(2)],
  ["a regular expression with a match", "'a1b22'.match(/\\d+/g)", value(["1", "22"])],
  ["a call of a function at once", "(() => 7)()", value(7)],
  ["an async call at once", "(async () => { return 8 })()", value(8)],
  // Functions
  ["an async arrow", "async () => { return 9 }", value(9)],
  ["an arrow", "() => 10", value(10)],
  ["an async arrow with a semicolon", "async () => 11;\n", value(11)],
  ["an async function", "async function main() { return 12 }", value(12)],
  ["a function expression in parentheses", "(function () { return 13 })", value(13)],
  ["a function that takes the providers", "async ({ state }) => typeof state.get", value("function")],
  ["a declared function that is called", "async function main() { return 14 }\nmain()", value(14)],
  ["an awaited declared function", "async function main() { return 15 }\nawait main();", value(15)],
  // Statements
  ["statements", "const a = 2;\nconst b = 3;\na * b", value(6)],
  ["statements with a returned value", "const a = 2;\nreturn a * 2;", value(4)],
  ["an early return", "if (true) return 'early';\n'late'", value("early")],
  ["a return of nothing", "return", none],
  ["declarations only", "const a = 1;", none],
  ["nothing but a comment", "// nothing", none],
  ["undefined", "undefined", none],
  ["an if at the end", "const a = 1;\nif (a) { 'yes' } else { 'no' }", value("yes")],
  ["a try at the end", "const a = '{';\ntry { JSON.parse(a) } catch (error) { error.name }", value("SyntaxError")],
  ["a loop and a total", "let sum = 0;\nfor (const n of [1, 2, 3]) sum += n;\nsum", value(6)],
  ["for await", "let s = '';\nfor await (const x of [Promise.resolve('a'), 'b']) s += x;\ns", value("ab")],
  ["a class", "class P { x = 1; get y() { return 2 } }\nconst p = new P();\np.x + p.y", value(3)],
  [
    "a label",
    "outer: for (const a of [1, 2]) for (const b of [3, 4]) if (b === 4) break outer;\n'done'",
    value("done"),
  ],
  ["destructuring and spread", "const { a, ...rest } = { a: 1, b: 2, c: 3 };\n[a, rest]", value([1, { b: 2, c: 3 }])],
  ["a generator", "function* g() { yield 1; yield 2 }\n[...g()]", value([1, 2])],
  ["a hashbang", "#!/usr/bin/env node\n1 + 2", value(3)],
  ["use strict", "'use strict';\nconst a = 4;\na", value(4)],
  ["CRLF lines", "const a = 1;\r\nconst b = 2;\r\na + b", value(3)],
  ["a delay", "await new Promise((resolve) => setTimeout(resolve, 5));\n'waited'", value("waited")],
  // Modules
  ["a default export", "export default 16", value(16)],
  ["a default function", "export default async function () { return 17 }", value(17)],
  ["a default arrow", "const a = 18;\nexport default () => a;", value(18)],
  ["a default by name", "const main = () => 19;\nexport { main as default };", value(19)],
  ["named exports only", "export const a = 1;", none],
  ["a static import", "import { join } from 'node:path';\njoin('a', 'b')", value("a/b")],
  [
    "a static import and a return",
    "import { basename } from 'node:path';\nreturn basename('/x/y.txt')",
    value("y.txt"),
  ],
  ["a dynamic import", "const { inspect } = await import('node:util');\ninspect({ a: 1n })", value("{ a: 1n }")],
  ["Buffer", "Buffer.from('aGk=', 'base64').toString()", value("hi")],
  // Fences and types
  ["fenced code", "```js\nconst a = 1;\na + 19\n```", value(20)],
  [
    "fenced code with words around it",
    "Here is the code:\n\n```ts\nconst a: number = 21;\na\n```\nIt returns 21.",
    value(21),
  ],
  ["type annotations", "const f = (a: number, b?: string): string => a + (b ?? '');\nf(1, 'x')", value("1x")],
  ["an interface", "interface A { x: number }\nconst a: A = { x: 5 };\na.x", value(5)],
  ["generics and casts", "function id<T>(x: T): T { return x }\n(id<unknown>(3) as number) satisfies number", value(3)],
  ["an enum", "enum E { A = 1, B }\nE.B", value(2)],
  ["a type import", "import type { Stats } from 'fs';\nlet s: Stats | null = null;\ns", value(null)],
  // Values that JSON has not
  ["a BigInt", "2n ** 70n", text("1180591620717411303424n")],
  ["undefined inside", "[undefined, { a: undefined }]", text("[undefined, { a: undefined }]")],
  ["a Map", "new Map([['a', 1], [{ b: 2 }, [3]]])", text('Map(2) { "a" => 1, { b: 2 } => [3] }')],
  ["a Set", "new Set([1, 'a', null])", text('Set(3) { 1, "a", null }')],
  ["a Date", "new Date(Date.UTC(2020, 0, 2))", text("Date(2020-01-02T00:00:00.000Z)")],
  ["an invalid Date", "[new Date('x')]", text("[Invalid Date]")],
  ["a RegExp", "/a+/gi", text("/a+/gi")],
  ["bytes", "new Uint8Array([1, 2, 255])", text("Uint8Array(3) [1, 2, 255]")],
  ["floats", "new Float64Array([1.5, NaN])", text("Float64Array(2) [1.5, NaN]")],
  ["an ArrayBuffer", "new Uint8Array([7, 8]).buffer", text("ArrayBuffer(2) [7, 8]")],
  [
    "a cycle",
    "const a = { name: 'x' };\na.self = a;\na.list = [a];\na",
    text('{ name: "x", self: [Circular: the whole value], list: [[Circular: the whole value]] }'),
  ],
  ["a cycle further in", "const a = { in: { } };\na.in.back = a.in;\na", text("{ in: { back: [Circular: $.in] } }")],
  ["the same object twice", "const a = { x: 1 };\n[a, a]", value([{ x: 1 }, { x: 1 }])],
  ["a sparse list", "[1, , , 4]", text("[1, <2 empty>, 4]")],
  ["NaN, Infinity and -0", "[NaN, Infinity, -Infinity, -0]", text("[NaN, Infinity, -Infinity, -0]")],
  [
    "an instance",
    "class Point { constructor() { this.x = 1; this.y = 2 } }\nnew Point()",
    text("Point { x: 1, y: 2 }"),
  ],
  [
    "functions and symbols",
    "[function f() {}, () => {}, class C {}, Symbol('s')]",
    text("[[Function f], [Function (anonymous)], [class C], Symbol(s)]"),
  ],
  ["an error as a value", "new TypeError('bad', { cause: 1 })", text("[TypeError: bad cause: 1]")],
  ["an error with fields", "Object.assign(new Error('x'), { code: 'E1' })", text('[Error: x { code: "E1" }]')],
  ["toJSON", "[new URL('https://a.test/b'), { toJSON: () => ({ c: 1 }) }]", value(["https://a.test/b", { c: 1 }])],
  ["toJSON that throws", "({ toJSON() { throw new Error('no') } })", text("[toJSON threw: no]")],
  ["a getter that throws", "({ get a() { throw new Error('no') }, b: 1 })", text("{ a: [getter threw: no], b: 1 }")],
  ["a proxy that throws", "new Proxy({}, { ownKeys() { throw new Error('trap') } })", text("[cannot be read: trap]")],
  ["a null prototype", "Object.assign(Object.create(null), { a: 1 })", value({ a: 1 })],
  ["a key __proto__", 'JSON.parse(\'{"__proto__": {"a": 1}}\')', value(JSON.parse('{"__proto__": {"a": 1}}'))],
  ["a lone surrogate", "'\\ud800x'", value("\ud800x")],
  // What is thrown
  [
    "an error",
    "const a = 1;\nthrow new RangeError('too far')",
    {
      error: {
        name: "RangeError",
        message: "too far",
        ...at(2, 7, "2 | throw new RangeError('too far')\n          ^"),
      },
    },
  ],
  [
    "a string thrown",
    "throw 'x'",
    {
      error: {
        name: "thrown value",
        message: 'Not an Error was thrown: "x"',
        ...at(1, 7, "1 | throw 'x'\n          ^"),
      },
    },
  ],
  [
    "null thrown",
    "throw null",
    {
      error: {
        name: "thrown value",
        message: "Not an Error was thrown: null",
        ...at(1, 7, "1 | throw null\n          ^"),
      },
    },
  ],
  [
    "undefined thrown",
    "throw undefined",
    {
      error: {
        name: "thrown value",
        message: "Not an Error was thrown: undefined",
        ...at(1, 7, "1 | throw undefined\n          ^"),
      },
    },
  ],
  [
    "an object thrown",
    "throw { code: 7, nested: [1] }",
    {
      error: {
        name: "thrown value",
        message: "Not an Error was thrown: { code: 7, nested: [1] }",
        ...at(1, 7, "1 | throw { code: 7, nested: [1] }\n          ^"),
      },
    },
  ],
  [
    "an empty error",
    "throw new Error('')",
    { error: { name: "Error", message: "(no message)", ...at(1, 7, "1 | throw new Error('')\n          ^") } },
  ],
  [
    "a class of one's own with fields and a cause",
    "class ApiError extends Error {}\nthrow Object.assign(new ApiError('no', { cause: new Error('why') }), { status: 404 })",
    {
      error: {
        name: "ApiError",
        message: "no",
        details: "status: 404\ncause: [Error: why]",
        ...at(
          2,
          21,
          "2 | throw Object.assign(new ApiError('no', { cause: new Error('why') }), { status: 404 })\n                        ^",
        ),
      },
    },
  ],
  [
    "a rejection with a string",
    "await Promise.reject('gone')",
    {
      error: {
        name: "thrown value",
        message: 'Not an Error was thrown: "gone"',
        ...at(1, 22, "1 | await Promise.reject('gone')\n                         ^"),
      },
    },
  ],
  [
    "a rejection through reject",
    "await new Promise((resolve, reject) => reject({ a: 1 }))",
    {
      error: {
        name: "thrown value",
        message: "Not an Error was thrown: { a: 1 }",
        ...at(
          1,
          47,
          "1 | await new Promise((resolve, reject) => reject({ a: 1 }))\n                                                  ^",
        ),
      },
    },
  ],
  [
    "a nested promise that rejects",
    "[Promise.reject(new TypeError('inner'))]",
    {
      error: {
        name: "TypeError",
        message: "inner",
        ...at(1, 17, "1 | [Promise.reject(new TypeError('inner'))]\n                    ^"),
      },
    },
  ],
  [
    "a rejection that nobody awaits",
    "Promise.reject(new Error('lost'));\n5",
    {
      error: {
        name: "Error",
        message: "lost (a promise was rejected and nothing awaits it)",
        ...at(1, 16, "1 | Promise.reject(new Error('lost'));\n                   ^"),
      },
    },
  ],
  [
    "an error in a timer",
    "setTimeout(() => { throw new Error('late') }, 1);\nawait new Promise((resolve) => setTimeout(resolve, 20));\n5",
    {
      error: {
        name: "Error",
        message: "late (thrown in a timer, where nothing catches it)",
        ...at(1, 26, "1 | setTimeout(() => { throw new Error('late') }, 1);\n                             ^"),
      },
    },
  ],
  [
    "a name that is not there",
    "const a = 1;\n  foo.bar(a)",
    { error: { name: "ReferenceError", message: "foo is not defined", ...at(2, 3, "2 |   foo.bar(a)\n      ^") } },
  ],
  [
    "a property of undefined",
    "const a = {};\na.b.c",
    {
      error: {
        name: "TypeError",
        message: "Cannot read properties of undefined (reading 'c')",
        ...at(2, 5, "2 | a.b.c\n        ^"),
      },
    },
  ],
  [
    "an error deep in a function",
    "function deep(n) {\n  if (n === 0) throw new Error('bottom');\n  deep(n - 1);\n}\ndeep(3)",
    {
      error: {
        name: "Error",
        message: "bottom",
        ...at(2, 22, "2 |   if (n === 0) throw new Error('bottom');\n                         ^"),
      },
    },
  ],
  [
    "an error in typed code",
    "const f = (a: { x: string }, b: number): void => { throw new Error('t') };\nf({ x: '' }, 1)",
    {
      error: {
        name: "Error",
        message: "t",
        ...at(
          1,
          58,
          "1 | const f = (a: { x: string }, b: number): void => { throw new Error('t') };\n                                                             ^",
        ),
      },
    },
  ],
  [
    "a syntax error",
    "const a = 1;\nconst b = ;",
    { error: { name: "SyntaxError", message: "Unexpected token", ...at(2, 11, "2 | const b = ;\n              ^") } },
  ],
  [
    "a syntax error in typed code",
    "const a: number = 1;\nconst b: string = ;",
    {
      error: {
        name: "SyntaxError",
        message: "Unexpected token",
        ...at(2, 19, "2 | const b: string = ;\n                      ^"),
      },
    },
  ],
  [
    "a name declared twice",
    "let a = 1;\nlet a = 2;",
    {
      error: {
        name: "SyntaxError",
        message: "Identifier 'a' has already been declared",
        ...at(2, 5, "2 | let a = 2;\n        ^"),
      },
    },
  ],
  [
    "an import of a package",
    "import _ from 'lodash';\n_",
    {
      error: {
        name: "ImportError",
        message:
          'Cannot import "lodash". There are no packages here; run them in the machine with sandbox.exec. What can be imported is: node:assert, node:buffer, node:crypto, node:events, node:path, node:querystring, node:string_decoder, node:timers/promises, node:url, node:util',
        ...at(1, 15, "1 | import _ from 'lodash';\n                  ^"),
      },
    },
  ],
  [
    "require",
    "const fs = require('fs');",
    {
      error: {
        name: "ReferenceError",
        message:
          'require is not defined. There is no require: use import, or sandbox.exec({command: "node …"}) to run Node in the machine',
        ...at(1, 12, "1 | const fs = require('fs');\n               ^"),
      },
    },
  ],
  [
    "fetch",
    "await fetch('https://example.com')",
    {
      error: {
        name: "Error",
        message:
          'fetch is refused. Nothing outside can be reached from run_js: use the providers (help() lists them), or sandbox.exec({command: "curl …"}) where the sandbox may',
        ...at(1, 7, "1 | await fetch('https://example.com')\n          ^"),
      },
    },
  ],
  // What is logged
  [
    "logs beside a value",
    "console.log('a', 1, { b: [2] });\nconsole.warn('careful');\nconsole.error(new Error('bad'));\n3",
    { value: 3, logs: "a 1 { b: [2] }\n[warn] careful\n[error] [Error: bad]" },
  ],
  [
    "logs before an error",
    "console.log('before');\nnull.x",
    {
      logs: "before",
      error: {
        name: "TypeError",
        message: "Cannot read properties of null (reading 'x')",
        ...at(2, 6, "2 | null.x\n         ^"),
      },
    },
  ],
  ["an empty object logged", "console.log({});\nconsole.log();\nconsole.log('')", { ...none, logs: "{}\n\n" }],
  [
    "formats",
    "console.log('%s is %d, %o and %%', 'x', 4, { a: 1 }, 'more')",
    { ...none, logs: "x is 4, { a: 1 } and % more" },
  ],
  [
    "a table",
    "console.table([{ a: 1, b: 'x' }, { a: 22 }])",
    { ...none, logs: "(index)  a   b\n0        1   x\n1        22" },
  ],
  [
    "groups, counts and assertions",
    "console.group('g');\nconsole.count();\nconsole.groupEnd();\nconsole.count();\nconsole.assert(1 === 2, 'odd')",
    { ...none, logs: "g\n  default: 1\ndefault: 2\n[error] Assertion failed: odd" },
  ],
  [
    "an object logged and then changed",
    "const a = { n: 1 };\nconsole.log(a);\na.n = 2;",
    { value: 2, logs: "{ n: 1 }" },
  ],
];

test.each(rows)("run_js() answers %s", async (_title, code, expected) => {
  const { text: _text, isError, calls, ...answer } = await fixture.run({ code });
  expect({ ...answer, calls, isError }).toEqual({ logs: "", ...expected, calls: [], isError: false });
});
