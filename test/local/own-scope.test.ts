// An ordinary user's engine gets a control group from that user's systemd, and starts without one where there is none.

import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";

const isRoot = process.getuid?.() === 0;
const directory = mkdtempSync("/tmp/own-scope-");
chmodSync(directory, 0o755);
copyFileSync(join(import.meta.dirname, "../../container/local/own-scope.ts"), join(directory, "own-scope.ts"));
copyFileSync(process.execPath, join(directory, "node"));
for (const program of ["sh", "sed", "mkdir", "true"]) symlinkSync(`/bin/${program}`, join(directory, program));
afterAll(() => rmSync(directory, { recursive: true }));

const PROGRAM = `
import { execFileSync } from "node:child_process";
import { ownScope } from "./own-scope.ts";
const [program, ...rest] = [...(await ownScope()), "sh", "-c", "echo $0 $#", "ran", "a b", "c"];
console.log(program, execFileSync(program, rest, { encoding: "utf8" }).trim());
`;

/** Each row has a title, what stands for systemd-run, and the program that is started with what it prints. */
const SYSTEMDS = [
  ["gives a scope", 'while case $1 in --*) ;; *) false ;; esac; do shift; done; exec "$@"', "systemd-run ran 2"],
  ["has no bus", "echo Failed to connect to bus >&2; exit 1", "sh ran 2"],
  ["does not exist", null, "sh ran 2"],
] as const;

it.each(SYSTEMDS)("ownScope() starts a command where systemd-run %s", (_title, script, printed) => {
  const systemd = join(directory, "systemd-run");
  rmSync(systemd, { force: true });
  if (script !== null) writeFileSync(systemd, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  writeFileSync(join(directory, "program.mts"), PROGRAM);
  const { stdout, stderr } = spawnSync(join(directory, "node"), [join(directory, "program.mts")], {
    encoding: "utf8",
    env: { PATH: directory },
    ...(isRoot ? { uid: 1_234_567, gid: 1_234_567 } : {}),
  });
  expect([stdout, stderr.replace(/.*Warning.*\n/g, "")]).toEqual([`${printed}\n`, ""]);
});
