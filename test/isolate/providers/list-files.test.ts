// sandbox.listFiles over the runner's own list: its answer is complete, or says what is missing.

import { mkdirSync } from "node:fs";
import { expect, test } from "vitest";
import * as z from "zod";
import { limits } from "../../../src/contract/limits.ts";
import { listFiles } from "../../../src/isolate/providers/list-files.ts";
import { done, type FilesUnderTest, filesUnderTest } from "../../runner/file/files-under-test.ts";
import { callMethod } from "../fixture/call-method.ts";

const Listed = z.array(z.object({ path: z.string() }));

async function list(files: FilesUnderTest, input: Record<string, unknown>) {
  const { result, remarks } = await callMethod(listFiles, input, files);
  return { paths: Listed.parse(done(result)).map(({ path }) => path), remarks };
}

function fill(files: FilesUnderTest, directory: string, count: number): string[] {
  mkdirSync(files.path(directory), { recursive: true });
  const paths = Array.from({ length: count }, (_, n) => `${directory}/${String(n).padStart(4, "0")}`);
  for (const path of paths) files.put(path, "");
  return paths;
}

test("listFiles() returns every entry of an inner directory", async () => {
  using files = filesUnderTest();
  const inner = fill(files, "top/inner", 200);
  expect(await list(files, { path: "top", depth: 2 })).toEqual({ paths: ["top/inner", ...inner], remarks: [] });
});

test("listFiles() says of which directories it omits entries", async () => {
  using files = filesUnderTest();
  fill(files, "top/a", 3_000);
  fill(files, "top/b", 3_000);
  fill(files, "top/c", 2);
  const { paths, remarks } = await list(files, { path: "top", depth: 2 });
  expect(paths.length).toBe(limits.fileListMaxEntries);
  expect(remarks).toEqual([
    'sandbox.listFiles returns at most 5,000 entries and omitted some of "top/b" (1,997 of 3,000 listed), "top/c" (0 of 2 listed). List those directories by themselves, or use find in sandbox.exec.',
  ]);
});
