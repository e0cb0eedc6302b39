// sandbox.listFiles over the runner's own list: what code is answered is whole, or says what is missing.

import { mkdirSync } from "node:fs";
import { expect, test } from "vitest";
import * as z from "zod";
import { limits } from "../../../src/contract/limits.ts";
import { listFiles } from "../../../src/isolate/providers/list-files.ts";
import { done, type FilesUnderTest, filesUnderTest } from "../../runner/file/files-under-test.ts";
import { callMethod } from "../fixture/call-method.ts";

const Listed = z.array(z.object({ path: z.string() }));

async function list(files: FilesUnderTest, input: Record<string, unknown>) {
  const { result, notices } = await callMethod(listFiles, input, files);
  return { paths: Listed.parse(done(result)).map(({ path }) => path), notices };
}

function fill(files: FilesUnderTest, directory: string, count: number): string[] {
  mkdirSync(files.path(directory), { recursive: true });
  const paths = Array.from({ length: count }, (_, n) => `${directory}/${String(n).padStart(4, "0")}`);
  for (const path of paths) files.put(path, "");
  return paths;
}

test("listFiles() answers every entry of an inner directory", async () => {
  using files = filesUnderTest();
  const inner = fill(files, "top/inner", 200);
  expect(await list(files, { path: "top", depth: 2 })).toEqual({ paths: ["top/inner", ...inner], notices: [] });
});

test("listFiles() says which directories it cut", async () => {
  using files = filesUnderTest();
  fill(files, "top/a", 3_000);
  fill(files, "top/b", 3_000);
  fill(files, "top/c", 2);
  const { paths, notices } = await list(files, { path: "top", depth: 2 });
  expect(paths.length).toBe(limits.fileListMaxEntries);
  expect(notices).toEqual([
    'sandbox.listFiles answers at most 5000 entries and left some out: of "top/b" (1997 of 3000), "top/c" (0 of 2). List those directories by themselves, or use find in sandbox.exec.',
  ]);
});
