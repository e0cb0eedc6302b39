// Turning generated code into a module. Any text is either refused with a CodeFault or becomes a module that parses, and
// places in the module lead back to the given text.

import { parse } from "acorn";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CodeFault } from "../../../src/isolate/program/code-fault.ts";
import { type Program, prepareProgram } from "../../../src/isolate/program/program.ts";
import { snippets } from "../fixture/snippets.ts";

function prepare(code: string): Program | CodeFault {
  try {
    return prepareProgram(code);
  } catch (error) {
    if (error instanceof CodeFault) return error;
    throw error;
  }
}

const fragments = [
  ...snippets.map(([, code]) => code),
  ...[
    "{",
    "}",
    "(",
    ")",
    "=>",
    "`",
    "${",
    "```",
    "```ts\n",
    "\n",
    "\r\n",
    "<T>",
    ": string",
    "as ",
    "enum E { A }",
    "/*",
    "*/",
    "//",
  ],
  ...[
    "import x from 'y';",
    "export ",
    "await ",
    "return ",
    "throw ",
    "#!",
    "\u2028",
    "\ud800",
    "/",
    "'",
    "\\",
    "type ",
    "async ",
    "<",
  ],
];

test("prepareProgram() refuses code or turns it into a module that parses, for any mixture of fragments", () => {
  const code = fc.array(fc.constantFrom(...fragments), { maxLength: 6 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(code, (given) => {
      const program = prepare(given);
      if (program instanceof CodeFault) return;
      parse(program.source, { ecmaVersion: "latest", sourceType: "module" });
    }),
    { numRuns: 2_000, seed: 5 },
  );
});

test("prepareProgram() takes time in proportion to the code", () => {
  const long = [
    `${"a => ".repeat(2_000)}1`,
    "<".repeat(5_000),
    "a?b:".repeat(5_000),
    "`${".repeat(2_000),
    "f<T>(".repeat(3_000),
    "x as ".repeat(5_000),
    "/".repeat(20_000),
    `"${"\\".repeat(20_000)}`,
    "```\n".repeat(5_000),
    "1+".repeat(50_000),
  ];
  for (const code of long) {
    const before = process.cpuUsage();
    prepare(code);
    expect(process.cpuUsage(before).user / 1_000, code.slice(0, 10)).toBeLessThan(3_000);
  }
});

const marked: [title: string, code: string][] = [
  ["an expression", "  f(1, @)"],
  ["statements", "const a = 1;\nconst b = @;\na"],
  ["a throw", "if (1) throw g(@);\nh(2)"],
  ["several throws in a line", "throw a(1); throw b(2); throw c(@)"],
  ["a tail", "const a = 1; (a, @)"],
  ["an argument at the start of a line", "reject(\n@)"],
  ["an import over several lines that is moved", "import {\n  join,\n} from 'node:path';\nthrow join(@)"],
  ["an import that is moved", "import { join } from 'node:path'; join('a', @);\nreturn 1"],
  ["a dynamic import", "const m = await import('node:util'); m.inspect(@)"],
  ["typed code", "const f = (a: Array<string>, b?: { c: number }): void => { g(@) };"],
  ["typed code with a cast before", "const a = (b as unknown as string).length + (c!).d + @;"],
  ["a module", "export const a: number = 1; export default @"],
  ["a fence", "Some words\n```ts\nconst a: string = 'x'; f(@)\n```"],
];
test.each(marked)("original() finds the place in the given text for %s", (_title, template) => {
  const given = template.replace("@", "MARK");
  const program = prepareProgram(given);
  expect(program.original(positionOf(program.source))).toEqual(positionOf(given));
});

function positionOf(text: string): { line: number; column: number } {
  const lines = text.slice(0, text.indexOf("MARK")).split("\n");
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}
