// Reading files that are larger than the memory it may take.

import { spawnSync } from "node:child_process";
import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { done, failureOf, filesUnderTest, replace } from "./files-under-test.ts";

const LINES = 6_000_000;
const LINE = 50;
const READER = fileURLToPath(new URL("large-reader.ts", import.meta.url));

test("file-read takes constant memory when it reads late lines of 300 MB", () => {
  using files = filesUnderTest();
  writeLines(files.path("large"));
  const ran = spawnSync(process.execPath, [READER, files.roots.workspace], { encoding: "utf8" });
  expect(ran.stderr).toBe("");
  const { late, last, grownMiB } = JSON.parse(ran.stdout);
  expect(late).toEqual({ lines: [lineOf(5_000_000), lineOf(5_000_001)], first_line: 5_000_000, total_lines: LINES });
  expect(last).toEqual({ lines: [lineOf(LINES - 1), lineOf(LINES)], first_line: LINES - 1, total_lines: LINES });
  expect(grownMiB).toBeLessThan(64);
});

test("file-read reads the end of a sparse 4 GB file from its end, and does not count its lines", async () => {
  using files = filesUnderTest();
  const descriptor = openSync(files.path("sparse"), "w");
  writeSync(descriptor, "first\nsecond\nthird\n");
  ftruncateSync(descriptor, 4 * 1024 ** 3);
  writeSync(descriptor, "\nlast but one\r\nlast\r\n", 4 * 1024 ** 3);
  closeSync(descriptor);
  const before = process.cpuUsage();
  const head = done(await files.read("sparse", { offset: 2, limit: 1, force_text: true }));
  expect(head).toMatchObject({
    sha256: null,
    text: { lines: ["second"], first_line: 2, total_lines: null, reached_end: false },
  });
  const tail = done(await files.read("sparse", { offset: -2, force_text: true }));
  expect(tail).toMatchObject({
    text: { lines: ["last but one", "last"], first_line: -2, total_lines: null, reached_end: true, endings: "crlf" },
  });
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
  expect(failureOf(await files.edit("sparse", [replace("first", "x")]))).toMatchObject({
    reason: "file_too_large",
    action: "edit",
  });
  const appended = done(await files.append("sparse", "more\n"));
  expect(appended).toMatchObject({ size: 4 * 1024 ** 3 + 26, endings: "lf", sha256: null });
});

const lineOf = (number: number): string => `line ${number} `.padEnd(LINE - 1, ".");

function writeLines(path: string): void {
  const descriptor = openSync(path, "w");
  const block = 20_000;
  for (let first = 1; first <= LINES; first += block) {
    writeSync(descriptor, `${Array.from({ length: block }, (_, index) => lineOf(first + index)).join("\n")}\n`);
  }
  closeSync(descriptor);
}
