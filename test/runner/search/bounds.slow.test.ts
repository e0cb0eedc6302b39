// search under load: a million hits, endless lines, unusual patterns, and no process left behind.

import fc from "fast-check";
import { expect, test } from "vitest";
import { processIds } from "../../../container/proc/proc-file.ts";
import { type ProcessStat, readStat } from "../../../container/proc/process-stat.ts";
import { JsonTruncator } from "../../../container/runner/search/json-truncator.ts";
import { linesOf, makeTree } from "./tree.ts";

/** Children of this process that run ripgrep. */
const ripgreps = (): ProcessStat[] =>
  processIds()
    .flatMap((pid) => readStat(pid) ?? [])
    .filter(({ name, parent }) => name === "rg" && parent === process.pid);

test("search() keeps one page of a million hits, and ends ripgrep", async () => {
  const tree = makeTree();
  for (let file = 0; file < 10; file++) tree.write(`f${file}.txt`, "needle in a line of some length\n".repeat(100_000));
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  const found = await tree.search({ limit: 100 });
  expect(ripgreps()).toEqual([]);
  expect(found.ok && [found.value.shown, found.value.more, found.value.total]).toEqual([100, true, null]);
  const deep = await tree.search({ limit: 10, offset: 100_000 });
  expect(deep.ok && deep.value.files.map(({ path, lines }) => [path, lines[0]?.line])).toEqual([["f1.txt", 1]]);
  const counted = await tree.search({ mode: "count" });
  expect(counted.ok && counted.value.total).toEqual({ hits: 1_000_000, files: 10 });
  expect(ripgreps()).toEqual([]);
  expect(process.memoryUsage.rss() - before).toBeLessThan(200 * 1024 * 1024);
});

test("search() keeps its answer small with a million hits in one line", async () => {
  const tree = makeTree({ "a.txt": `${"ab".repeat(1_000_000)}\nb\n` });
  const found = await tree.search({ pattern: "a" });
  expect(found.ok && found.value.files[0]?.lines).toEqual([
    { line: 1, hit: true, text: `${"ab".repeat(200)}…`, whole_bytes: expect.any(Number) },
  ]);
});

test("search() finds exactly the lines that contain a literal text", async () => {
  const character = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(..."-;'\"` $\\()[]{}*+?.^|#&~!<>=@%/,a é日😀\t") },
    { weight: 1, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }) },
  );
  const text = fc
    .array(character, { minLength: 1, maxLength: 6 })
    .map((parts) => parts.join(""))
    .filter((line) => line.isWellFormed() && !/[\n\r\0\uFEFF]/.test(line));
  await fc.assert(
    fc.asyncProperty(text, fc.array(text, { maxLength: 8 }), async (pattern, others) => {
      const tree = makeTree();
      const lines = [...others, `x${pattern}y`, pattern, ...others.map((other) => other + pattern)];
      tree.write("a.txt", lines.map((line) => `${line}\n`).join(""));
      const wanted = lines.flatMap((line, index) => (line.includes(pattern) ? [`${index + 1}:${line}`] : []));
      expect(linesOf(await tree.search({ pattern, literal: true }))).toEqual({ "a.txt": wanted });
    }),
    { numRuns: 150 },
  );
});

test("JsonTruncator keeps any JSON valid, and the start of every string", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat({ max: 3 }), fc.jsonValue(), (part, pad, rest) => {
      const long = "x".repeat(pad) + (part === "" ? "y" : part).repeat(Math.ceil(2_000_000 / Math.max(1, part.length)));
      const truncator = new JsonTruncator();
      const bytes = Buffer.from(JSON.stringify({ long: long.toWellFormed(), rest }));
      for (let at = 0; at < bytes.length; at += 65_537) truncator.push(bytes.subarray(at, at + 65_537));
      const truncated = JSON.parse(truncator.finish().toString("utf8"));
      expect(truncated.rest).toEqual(JSON.parse(JSON.stringify(rest)));
      expect(long.toWellFormed().startsWith(truncated.long)).toBe(true);
      expect(truncated.long.length).toBeGreaterThan(100_000);
    }),
    { numRuns: 20 },
  );
});
