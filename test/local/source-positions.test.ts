// Positions in the bundle become those of its sources, and no other file is read for it.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SourcePositions } from "../../container/local/source-positions.ts";

let directory = "";
let bundle = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "source (positions) "));
  bundle = join(directory, "bundle");
  mkdirSync(bundle);
  writeMap("bundle/index.js.map");
});
afterEach(() => rmSync(directory, { recursive: true }));

/** The first column of the first line is that of line 2 in a source beside it. */
function writeMap(path: string): void {
  const map = { version: 3, sources: ["source.ts"], names: [], mappings: "AACA" };
  writeFileSync(join(directory, path), JSON.stringify(map));
}

const at = (path: string) => `    at f (file://${directory.replaceAll(" ", "%20")}/${path}:1:1)`;

test("mapStack() maps a position in the bundle to its source", () => {
  expect(new SourcePositions(bundle).mapStack(`Error: a\n${at("bundle/index.js")}\n${at("bundle/index.js")}`)).toBe(
    `Error: a\n${`    at f (${bundle}/source.ts:2:1)\n`.repeat(2).trimEnd()}`,
  );
});

test("mapStack() looks for the map once", () => {
  rmSync(join(bundle, "index.js.map"));
  const positions = new SourcePositions(bundle);
  expect(positions.mapStack(at("bundle/index.js"))).toBe(at("bundle/index.js"));
  writeMap("bundle/index.js.map");
  expect(positions.mapStack(at("bundle/index.js"))).toBe(at("bundle/index.js"));
});

test.each(["outside.js", "bundle/../outside.js", "bundle/other.js", "bundle-too/index.js"])(
  "mapStack() leaves %s",
  (path) => {
    mkdirSync(join(directory, "bundle-too"));
    for (const name of ["outside", "bundle/other", "bundle-too/index"]) writeMap(`${name}.js.map`);
    expect(new SourcePositions(bundle).mapStack(at(path))).toBe(at(path));
  },
);
