// A program of the host that takes core dumps runs as root, outside of all namespaces, on bytes that the crashed program chose. A
// machine must not be able to start it.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type EngineUnderTest,
  isRoot,
  readFile,
  removeHomes,
  startEngine,
  until,
  users,
} from "../engine/engine-under-test.ts";

const PATTERN = "/proc/sys/kernel/core_pattern";
const CRASH = "kill -SEGV $BASHPID";

/** Each row has what is done before a crash. */
const BEFORE = [
  ["with the limit as it is", ":"],
  ["with a limit of 0", "ulimit -c 0"],
  ["with a soft limit of 0", "ulimit -S -c 0"],
  ["with no limit", "ulimit -c unlimited || ulimit -S -c unlimited"],
  ["with a limit set by another program", "prlimit --pid $BASHPID --core=0"],
] as const;

describe.runIf(isRoot)("a host with a handler for core dumps", () => {
  const directory = mkdtempSync("/tmp/core-handler-");
  const log = join(directory, "log");
  let guard: ChildProcess;
  beforeAll(() => {
    guard = restoreWhenThisEnds(readFileSync(PATTERN, "utf8"));
    const handler = join(directory, "handler");
    writeFileSync(handler, `#!/bin/sh\necho "$1" >>${log}\n`);
    chmodSync(handler, 0o755);
    writeFileSync(PATTERN, `|${handler} %e`);
  });
  afterAll(async () => {
    guard.stdin?.end();
    await once(guard, "exit");
    rmSync(directory, { recursive: true });
    removeHomes();
  });

  describe.each(users)("and a machine of an engine run by %s", (user) => {
    let engine: EngineUnderTest;
    beforeAll(async () => {
      engine = await startEngine({ user });
      await engine.startMachine("a");
    });
    afterAll(() => engine.close());

    it.each(BEFORE)("does not start it for a crash %s", async (_title, first) => {
      rmSync(log, { force: true });
      const name = `crash-${user}`;
      await engine.exec("a", `cp /bin/bash ${name}; ./${name} -c '${first}; ${CRASH}'`);
      // The kernel starts the handler before a crash ends: one on the host is enough to see that all before it are logged.
      spawnSync("bash", [
        "-c",
        `cp /bin/bash ${directory}/on-host; ulimit -c unlimited; ${directory}/on-host -c '${CRASH}'`,
      ]);
      await until(() => readFile(log).includes("on-host"), "the handler takes a crash of the host");
      expect(readFile(log)).not.toContain(name);
    });
  });
});

/** Restores the setting of the host when its input is closed, also where that is because this process was killed. */
function restoreWhenThisEnds(pattern: string): ChildProcess {
  const script = `read -r _; printf %s "$1" >${PATTERN}`;
  return spawn("sh", ["-c", script, "sh", pattern.trimEnd()], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
}
