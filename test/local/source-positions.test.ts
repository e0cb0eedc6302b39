// Places in a bundle, led back to its sources, and only in a bundle.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sourcePlaces } from "../../container/local/source-positions.ts";

let directory = "";
let bundles = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "source-places-"));
  bundles = join(directory, "bundles");
  mkdirSync(bundles);
  // The first column of the first line is that of line 2 in a source beside it.
  const map = { version: 3, sources: ["source.ts"], names: [], mappings: "AACA" };
  writeFileSync(join(bundles, "index.js.map"), JSON.stringify(map));
});
afterEach(() => rmSync(directory, { recursive: true }));

const at = (path: string) => `    at f (file://${directory}/${path}:1:1)`;
const led = () => `    at f (${bundles}/source.ts:2:1)`;

test("sourcePlaces() leads a place in the bundle back to its source", () => {
  expect(sourcePlaces(`Error: a\n${at("bundles/index.js")}\n${at("bundles/index.js")}`, bundles)).toBe(
    `Error: a\n${led()}\n${led()}`,
  );
});

test("sourcePlaces() looks for a map once", () => {
  expect(sourcePlaces(at("bundles/late.js"), bundles)).toBe(at("bundles/late.js"));
  copyFileSync(join(bundles, "index.js.map"), join(bundles, "late.js.map"));
  expect(sourcePlaces(at("bundles/late.js"), bundles)).toBe(at("bundles/late.js"));
});

test.each(["outside.js", "bundles/../outside.js", "bundles-too/index.js"])("sourcePlaces() leaves %s", (path) => {
  mkdirSync(join(directory, "bundles-too"));
  for (const name of ["outside.js.map", "bundles-too/index.js.map"])
    copyFileSync(join(bundles, "index.js.map"), join(directory, name));
  expect(sourcePlaces(at(path), bundles)).toBe(at(path));
});
