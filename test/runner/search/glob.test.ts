// Globs over paths, compared with ripgrep's own.

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { compileGlob } from "../../../container/runner/search/glob.ts";
import { makeTree } from "./tree.ts";

const paths = [
  "a.ts",
  "b.js",
  "src/a.ts",
  "src/x/a.test.ts",
  "src/x/y/b.tsx",
  "src/[a].ts",
  "lib/src/éé.ts",
  "lib/a{b}.c",
  "z",
];

test.each([
  "*.ts",
  "*.{ts,tsx}",
  "*.{js,test.ts}",
  "src/*.ts",
  "src/**",
  "src/**/*.ts",
  "**/x/**",
  "**/a.ts",
  "/a.ts",
  "?.ts",
  "[ab].*",
  "[!a].*",
  "[a-b].js",
  "{src,lib}/**/*.ts",
  "**",
  "a*s*",
  "src/\\[a\\].ts",
  "[[]a].ts",
  "*é*",
  "a{b}.c",
  "a\\{b\\}.c",
])("compileGlob() agrees with ripgrep on %s", (text) => {
  const tree = makeTree(Object.fromEntries(paths.map((path) => [path, ""])));
  const said = spawnSync("rg", ["--files", "--no-config", `--glob=${text}`], { cwd: tree.workspace, encoding: "utf8" });
  const glob = compileGlob(text, { ignoreCase: false });
  if (typeof glob === "string") throw new Error(glob);
  expect(paths.filter((path) => glob.matches(path)).toSorted()).toEqual(
    said.stdout
      .split("\n")
      .filter((path) => path !== "")
      .toSorted(),
  );
});

test.each([
  ["[a", 'glob "[a": a character class without its "]"'],
  ["{a,b", 'glob "{a,b": a "{" without its "}"'],
  ["a}", 'glob "a}": a "}" without its "{"'],
  ["{a,b}".repeat(9), `glob "${"{a,b}".repeat(9)}": more than 256 alternatives`],
])("compileGlob() refuses %s", (text, words) => {
  expect(compileGlob(text, { ignoreCase: false })).toBe(words);
});

test("compileGlob() makes globs that match in little time, even hostile ones", () => {
  const glob = compileGlob(`${"*a".repeat(40)}b/${"**/".repeat(20)}x`, { ignoreCase: false });
  if (typeof glob === "string") throw new Error(glob);
  const before = process.cpuUsage();
  expect(glob.matches(`${"a".repeat(250)}/${"y/".repeat(200)}z`)).toBe(false);
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(500);
});
