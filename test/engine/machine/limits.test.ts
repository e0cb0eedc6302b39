// A machine whose commands have used up what they may have: the runner has room of its own, so that every operation works in it,
// and the answer of a command that fails says which limit was reached, who holds it, and what ends that.

import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../../src/contract/limits.ts";
import type { SearchRequest } from "../../../src/contract/search.ts";
import { eventually, newId } from "../../runner/runner-under-test.ts";
import { type EngineUnderTest, removeHomes, startEngine, users } from "../engine-under-test.ts";
import { bundledRunner, type MachineRunner, machineRunner } from "./machine-runner.ts";

const { runner, remove } = await bundledRunner();
afterAll(() => {
  removeHomes();
  remove();
});

/** Of the machine; an eighth of it is the runner's. */
const PROCESSES = 300;
const FOR_COMMANDS = 263;

const search: SearchRequest = {
  ...{ mode: "content", pattern: "needle", path: ".", globs: [], type: null, literal: true, ignore_case: false },
  ...{ multiline: false, before: 0, after: 0, hidden: false, no_ignore: false, limit: 10, offset: 0 },
  ...{ line_chars: limits.searchLineChars, page_chars: limits.searchPageChars },
};

/** Commands that use up the processes of the machine, and go on until they are ended. */
const hoarders = [
  { what: "a fork bomb", command: ":(){ :|:& };:" },
  {
    what: "processes that wait",
    command: `exec perl -e 'while (1) { my $p = fork; if (!defined $p) { sleep } elsif (!$p) { sleep; exit } }'`,
  },
  {
    what: "processes that nobody reaps",
    command: `exec perl -e 'while (1) { my $p = fork; if (!defined $p) { sleep } elsif (!$p) { exit } }'`,
  },
  {
    what: "threads",
    command: `exec python3 -c 'import threading, time
threading.stack_size(65536)
while True:
  try: threading.Thread(target=time.sleep, args=(9999,)).start()
  except RuntimeError: time.sleep(9999)'`,
  },
];

describe.each(users)("in a machine of an engine run by %s", (user) => {
  let engine: EngineUnderTest;
  let machine: MachineRunner;
  beforeAll(async () => {
    engine = await startEngine({ user, runner, environment: { SANDBOX_MCP_PIDS: String(PROCESSES) } });
  });
  afterAll(() => engine.close());
  beforeEach(async () => {
    await engine.startMachine("a");
    machine = machineRunner(engine, "a");
  });
  afterEach(async () => {
    for (const container of ["a", "a-proxy"]) await engine.api("DELETE", `/containers/${container}?force=true`);
  });

  it.each(hoarders)("every operation works when $what took all processes", async ({ command }) => {
    const holder = newId();
    await machine.exec("mkdir -p tree/below; echo needle >tree/below/file", {});
    await machine.exec(command, { process_id: holder, wait_ms: 200 });
    await eventually(async () => (await machine.exec("exec false")).hint !== null);
    const timedOut = await machine.exec("( : )", { timeout_ms: 300 });
    expect([timedOut.timed_out, timedOut.hint?.includes("is at its limit of")]).toEqual([true, true]);
    const started = newId();
    await machine.exec("( : ); sleep 7001", { process_id: started, wait_ms: 300 });
    const read = { process_id: started, stdout_offset: null, stderr_offset: null, until: null, wait_ms: 0 } as const;
    await eventually(async () => {
      const { hint, status } = await machine.call("process-read", { ...read, stream_chars: 1000 });
      const expected = `The machine is at its limit of ${FOR_COMMANDS} processes and threads: `;
      const largest = /: (\d+) of them belong to (\S+)/.exec(hint ?? "");
      return (
        status === "running" &&
        hint?.startsWith(expected) === true &&
        largest?.[2] === holder &&
        Number(largest[1]) > FOR_COMMANDS / 2 &&
        hint.endsWith(`process {action: "signal", process_id: "${holder}", signal: "KILL"}.`)
      );
    });

    expect((await machine.exec("echo fine")).stdout.text).toBe("fine\n");
    expect((await machine.exec("exec cat tree/below/file")).stdout.text).toBe("needle\n");
    expect((await machine.exec("exec cat", { stdin: "input", stdin_open: true, wait_ms: 200 })).stdout.text).toBe(
      "input",
    );
    expect((await machine.call("process-list", {})).processes.length).toBeGreaterThan(3);
    expect(await machine.call("search", search)).toMatchObject({ files: [{ path: "tree/below/file", count: 1 }] });
    expect((await machine.call("file-stat", { path: "tree/below" })).kind).toBe("directory");
    expect((await machine.call("usage", {})).disk_bytes).not.toBeNull();
    const checkpoint = await machine.call("checkpoint-create", { id: randomUUID(), parents: [], more: [] });
    expect(checkpoint.files).toBeGreaterThan(0);

    const { process } = await machine.kill(holder);
    expect([process.status, process.left_running]).toEqual(["exited", 0]);
    expect(await machine.exec("(echo all fine); (exit 3)")).toMatchObject({ exit_code: 3, hint: null });
  });
});
