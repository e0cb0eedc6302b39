// Every shell and perl program of the project is a file, and these files pass shellcheck and `perl -c`.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

const files = ["container", "test", ".ci"].flatMap((directory) =>
  readdirSync(join(root, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name)),
);

const firstLine = (file: string): string => readFileSync(file, "utf8").split("\n", 1)[0] ?? "";
const shellScripts = files.filter((file) => file.endsWith(".sh") || /^#!.*\b(ba)?sh\b/.test(firstLine(file)));
const perlPrograms = files.filter((file) => file.endsWith(".pl") || /^#!.*\bperl\b/.test(firstLine(file)));

const isInstalled = (program: string): boolean => spawnSync(program, ["--version"]).error === undefined;

const checks = [
  { program: "shellcheck", args: ["--severity=style"], scripts: shellScripts },
  { program: "perl", args: ["-c"], scripts: perlPrograms },
];

describe.each(checks)("$program", ({ program, args, scripts }) => {
  if (!isInstalled(program)) console.warn(`SKIPPED: ${program} is not installed; install it to check the scripts`);

  test.skipIf(!isInstalled(program)).each(scripts.map((file) => ({ name: file.slice(root.length + 1), file })))(
    "accepts $name",
    ({ file }) => {
      const { status, stdout, stderr } = spawnSync(program, [...args, file], { encoding: "utf8" });
      expect({ status, output: status === 0 ? "" : `${stdout}${stderr}` }).toEqual({ status: 0, output: "" });
    },
  );
});
