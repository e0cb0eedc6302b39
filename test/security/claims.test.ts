// SECURITY.md: every claim names the tests that hold it, and every attack is named there.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "SECURITY.md"), "utf8");

const claims = page
  .split("\n\n")
  .filter((block) => /^\| claim +\| held by +\|\n/.test(block))
  .flatMap((table) => table.trim().split("\n").slice(2))
  .map((row) => {
    const [claim = "", heldBy = ""] = row.replace(/^\| | \|$/g, "").split(" | ");
    return { claim: claim.trim(), tests: [...heldBy.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, file]) => file ?? "") };
  });

test("has claims", () => expect(claims.length).toBeGreaterThan(25));

test.each(claims)("$claim", ({ tests }) => {
  expect(tests).not.toEqual([]);
  expect(tests.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test("names every test of test/security and test/e2e/security", () => {
  const attacks = ["test/security", "test/e2e/security"].flatMap((directory) =>
    readdirSync(join(root, directory))
      .filter((name) => name.endsWith(".test.ts") && name !== "claims.test.ts")
      .map((name) => `${directory}/${name}`),
  );
  expect(attacks.filter((file) => !page.includes(file))).toEqual([]);
});
