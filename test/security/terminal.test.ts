// What other programs print must neither control the terminal of the person who runs `npm start` nor look like the server's own lines.

import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { runGuarded } from "../../container/local/guarded-process.ts";
import { printable, printLinesOf } from "../../container/local/print-lines.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const HOSTILE = [
  "\u001b[2J\u001b[H  MCP URL     http://evil.example/mcp",
  "engine | fine\r  Access key  stolen",
  "\u009b2K\u009d0;title\u0007  Access key  stolen",
  "\u2028  Access key  stolen",
  "\u202eyek sseccA\u202c \u2066\u200b\u200f\u00ad\ufeff",
  "\u001bP+q544e\u001b\\\b\b\u007f\u0000\u0084\u0085",
  "\u001b]8;;http://evil.example\u0007link\u001b]8;;\u0007",
];

test("printLinesOf() prints lines of another program that are marked and control nothing", async () => {
  const printed: string[] = [];
  vi.spyOn(console, "error").mockImplementation((line) => printed.push(String(line)));
  const script = `process.stdout.write(${JSON.stringify(HOSTILE.join("\n"))}); process.stderr.write(${JSON.stringify(HOSTILE.join("\n"))})`;
  await runGuarded({
    command: process.execPath,
    args: ["-e", script],
    env: process.env,
    onLine: printLinesOf("engine"),
  });
  expect(printed.length).toBeGreaterThanOrEqual(2 * HOSTILE.length);
  for (const line of printed) expect(line).toMatch(/^engine \| [^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u);
  expect(printed).toContain("engine |   MCP URL     http://evil.example/mcp");
});

test("printable() leaves no character that controls a terminal, and changes no other", () => {
  const hostile = fc.array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary" })));
  fc.assert(
    fc.property(hostile, (parts) => {
      expect(printable(parts.join(""))).toMatch(/^(\t|[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}])*$/u);
    }),
    { numRuns: 2_000 },
  );
  const text = "at fetch (/srv/src/index.ts:1:2)\tü 漢 🙂 \u00a0";
  expect(printable(text)).toBe(text);
});
