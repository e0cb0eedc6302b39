// Machines start with whatever shell the host's `sh` is.

import { existsSync } from "node:fs";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { type EngineUnderTest, isRoot, removeHomes, startEngine } from "../engine-under-test.ts";

let engine: EngineUnderTest;
afterEach(() => engine.close());
afterAll(removeHomes);

/** Each row has a shell and a test that only this shell passes. */
const SHELLS = [
  ["/bin/bash", '[ -n "$BASH_VERSION" ]'],
  ["/bin/dash", '[ -z "$BASH_VERSION" ]'],
] as const;

describe.runIf(isRoot)("a machine where sh is", () => {
  it.for(SHELLS)("%s starts, works and ends", async ([shell, isIt], { skip }) => {
    skip(!existsSync(shell), `${shell} is missing`);
    engine = await startEngine({ hostMounts: `mount --bind ${shell} "$(readlink -f /bin/sh)"` });
    await engine.startMachine("a");
    expect((await engine.exec("a", `sh -c '${isIt} && echo it'; (true & sleep 0.01 &); echo fine`)).output).toBe(
      "it\nfine\n",
    );
    await engine.exec("a", "kill -TERM 1; kill -HUP 1");
    expect((await engine.exec("a", "echo alive")).output).toBe("alive\n");
    const exited = engine.api("POST", "/containers/a/wait");
    await engine.api("POST", "/containers/a/kill?signal=TERM");
    expect((await exited).body).toEqual({ StatusCode: 143 });
  });
});
