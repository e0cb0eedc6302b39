// The README tells the truth: its commands exist, and its tables are what the code has.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SCOPES } from "../src/auth/caller.ts";
import { toolsFor } from "../tools/index.ts";

const root = join(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const readme = read("README.md");

const table = (heading: string): string[] =>
  [...(readme.split(`## ${heading}\n`)[1]?.split("\n## ")[0] ?? "").matchAll(/^\| `([A-Za-z_]+)` *\|/gm)].map(
    ([, name = ""]) => name,
  );

test("the table of tools lists exactly the tools, in their order", () => {
  expect(table("Tools")).toEqual(toolsFor(new Set(SCOPES)).map(({ name }) => name));
});

test("every npm command is a script", () => {
  const scripts = JSON.parse(read("package.json")).scripts;
  const commands = [
    ...`${readme}${read("CONTRIBUTING.md")}`.matchAll(/npm (?:run )?(start|test|check|[a-z]+:[a-z]+|format)\b/g),
  ];
  expect(commands.length).toBeGreaterThan(5);
  expect(commands.map(([, name = ""]) => name).filter((name) => scripts[name] === undefined)).toEqual([]);
});

test("every setting is one that the code reads", () => {
  const code = [
    "src/config/env.ts",
    "src/isolate/providers/index.ts",
    "container/local/main.ts",
    "container/local/server.ts",
    "container/local/engine-choice.ts",
    "container/engine/limits.ts",
  ]
    .map(read)
    .join("");
  expect(table("Settings").filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
  expect(table("Settings").length).toBeGreaterThanOrEqual(8);
});

test("every link to a file leads somewhere", () => {
  const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, target = ""]) => target);
  expect(links.filter((target) => !existsSync(join(root, target)))).toEqual([]);
});

test("CONTRIBUTING names files and folders that exist", () => {
  const named = [...read("CONTRIBUTING.md").matchAll(/`((?:src|tools|container|test)\/[a-z0-9/.-]+)`/g)].map(
    ([, path = ""]) => path,
  );
  const inLayout = [...read("CONTRIBUTING.md").matchAll(/^ {4}((?:src|container|test)\/\S*)/gm)].map(
    ([, path = ""]) => path,
  );
  expect(named.length).toBeGreaterThan(30);
  expect(inLayout.length).toBeGreaterThan(15);
  expect([...named, ...inLayout].filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test("the layout names folders that exist", () => {
  const folders = [...readme.matchAll(/^ {4}([a-z/]+\/) /gm)].map(([, folder = ""]) => folder);
  expect(folders).toHaveLength(5);
  expect(folders.filter((folder) => !existsSync(join(root, folder)))).toEqual([]);
});
