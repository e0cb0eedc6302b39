// A machine whose commands have used up what they may have: the runner has room of its own, so that every operation works in it,
// and the answer of a command that fails says which limit was reached, who holds it, and what ends that.

import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../../src/contract/limits.ts";
import type { SearchRequest } from "../../../src/contract/search.ts";
import { eventually, newId, sleepers } from "../../runner/runner-under-test.ts";
import { type EngineUnderTest, isRoot, removeHomes, startEngine, users } from "../engine-under-test.ts";
import { bundledRunner, type MachineRunner, machineRunner } from "./machine-runner.ts";

const { runner, remove } = await bundledRunner();
afterAll(() => {
  removeHomes();
  remove();
});

/** Of the machine; an eighth of it is the runner's. */
const PROCESSES = 300;
const FOR_COMMANDS = 263;

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

/** What may keep bash from reading a file before the command. */
const startings: { when: string; env?: Record<string, string>; pty?: { columns: number; rows: number } }[] = [
  { when: "nothing is special" },
  { when: "it runs on a terminal", pty: { columns: 120, rows: 40 } },
  { when: "BASH_ENV is its own", env: { BASH_ENV: "/dev/null" } },
  {
    when: "it runs on a terminal and BASH_ENV is its own",
    env: { BASH_ENV: "/dev/null" },
    pty: { columns: 120, rows: 40 },
  },
  { when: "bash is told to be a POSIX shell", env: { POSIXLY_CORRECT: "1" } },
  { when: "bash gets options", env: { SHELLOPTS: "posix:noglob" } },
  { when: "a function has the name of a builtin", env: { "BASH_FUNC_ulimit%%": "() { :; }" } },
];

const hasGroups = (user: string): boolean => user === "root" && existsSync("/sys/fs/cgroup/pids/cgroup.procs");

const search: SearchRequest = {
  ...{ mode: "content", pattern: "needle", path: ".", globs: [], type: null, literal: true, ignore_case: false },
  ...{ multiline: false, before: 0, after: 0, hidden: false, no_ignore: false, limit: 10, offset: 0 },
  ...{ line_chars: limits.searchLineChars, page_chars: limits.searchPageChars },
};

const makeTree = (machine: MachineRunner) => machine.exec("mkdir -p tree/below; echo needle >tree/below/file");

async function expectEverythingWorks(machine: MachineRunner): Promise<void> {
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
  const created = randomUUID();
  await machine.call("file-write", {
    ...{ path: `${created}/new`, content: "new\n", encoding: "utf-8", if_absent: false, expected_hash: null },
    dry_run: false,
  });
  await machine.call("file-delete", { path: created, recursive: true, dry_run: false });
}

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

  it.each(startings)("a command has the limit of commands when $when", async ({ env = {}, pty = null }) => {
    const inner =
      "ulimit -u; echo $BASH_ENV; env | grep -c ^BASH_ENV; cut -d: -f2- /proc/self/cgroup | grep -E '^(pids|memory|cpu):'";
    const { stdout } = await machine.exec(
      `${inner}; bash -c 'ulimit -u $((${FOR_COMMANDS} + 1))' 2>&1 | grep -c permitted`,
      {
        ...{ env, pty },
      },
    );
    const inherited = env["BASH_ENV"] ?? "";
    const groups = hasGroups(user) ? ["pids:/commands", "memory:/commands", "cpu:/commands"] : [];
    const lines = stdout.text.trimEnd().split(/\r?\n/);
    expect(lines.slice(0, 3)).toEqual([String(FOR_COMMANDS), inherited, inherited === "" ? "0" : "1"]);
    expect(
      lines
        .slice(3, -1)
        .filter((line) => line.endsWith("/commands"))
        .sort(),
    ).toEqual(groups.sort());
    expect(lines.at(-1)).toBe("1");
  });

  it("a command finds nothing of its start when it looks", async () => {
    const { stdout } = await machine.exec('echo "$_ $# $0 $SHLVL $?"');
    expect(stdout.text).toBe("/bin/bash 0 bash 1 0\n");
  });

  it.each(hoarders)("every operation works when $what took all processes", async ({ command }) => {
    const holder = newId();
    await makeTree(machine);
    await machine.exec(command, { process_id: holder, wait_ms: 200 });
    await eventually(async () => (await machine.exec("exec false")).hint !== null);
    // A bomb leaves room for a process now and then.
    await eventually(async () => {
      const { timed_out, hint } = await machine.exec("( : )", { timeout_ms: 300 });
      return timed_out && hint?.includes("is at its limit of") === true;
    });
    const started = newId();
    await machine.exec("( : ); sleep 7001", { process_id: started, wait_ms: 300 });
    await eventually(async () => {
      const { hint, status } = await machine.call("process-read", { ...plainRead, process_id: started });
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

    await expectEverythingWorks(machine);

    const { process } = await machine.kill(holder);
    expect([process.status, process.left_running]).toEqual(["exited", 0]);
    expect(await machine.exec("(echo all fine); (exit 3)")).toMatchObject({ exit_code: 3, hint: null });
  });
});

/** Only root can bound the memory of a machine here, and freeze a process. */
describe.runIf(isRoot && existsSync("/sys/fs/cgroup/memory/memory.limit_in_bytes"))("with control groups", () => {
  let engine: EngineUnderTest;
  let machine: MachineRunner;
  beforeAll(async () => {
    engine = await startEngine({ user: "root", runner, environment: { SANDBOX_MCP_MEMORY_MB: "400" } });
  });
  afterAll(() => engine.close());
  beforeEach(async () => {
    await engine.startMachine("a");
    machine = machineRunner(engine, "a");
  });
  afterEach(async () => {
    for (const container of ["a", "a-proxy"]) await engine.api("DELETE", `/containers/${container}?force=true`);
  });

  /** Holds this much memory, three quarters of the machine's being for commands. */
  const hold = (mebibytes: number) =>
    `python3 -c 'import time; x = b"x" * (${mebibytes} << 20); print(1, flush=True); time.sleep(9999)'`;

  it("says who holds the memory when processes that were left running hold it", async () => {
    const holder = newId();
    await machine.exec(`${hold(285)} & read -t 0.1; echo`, { process_id: holder });
    await eventually(async () => (await machine.exec("exec false")).hint !== null);
    const { hint } = await machine.exec("exec false");
    expect(hint).toMatch(
      new RegExp(
        `^The commands of this machine use 2\\d\\d MiB of their 300 MiB of memory: 2[89]\\d MiB by ${holder} \\(.*\\)\\. To end all of ${holder}: process \\{action: "signal", process_id: "${holder}", signal: "KILL"\\}\\.$`,
      ),
    );
    await machine.kill(holder);
    expect((await machine.exec("exec false")).hint).toBeNull();
  });

  it("says that memory ran out when the kernel has ended a part of the command for it", async () => {
    const value = await machine.exec(`${hold(500)}; exit 3`);
    expect([value.exit_code, value.killed_by]).toEqual([3, null]);
    expect(value.hint).toContain("The kernel has ended 1 of them for lack of memory since this one started.");
  });

  it("every operation works, and the runner lives, when commands use up the memory again and again", async () => {
    const { boot_id } = await machine.call("info", {});
    await makeTree(machine);
    const holder = newId();
    await machine.exec(`for n in 1 2 3; do while :; do ${hold(200)}; done & done; wait`, {
      process_id: holder,
      wait_ms: 0,
    });
    await eventually(
      async () => (await machine.call("process-read", { ...plainRead, process_id: holder })).stdout.lines > 5,
    );
    for (let n = 0; n < 2; n++) await expectEverythingWorks(machine);
    expect((await machine.kill(holder)).process.left_running).toBe(0);
    expect(await machine.call("info", {})).toMatchObject({ boot_id, live_processes: expect.any(Number) });
  });

  it("names the process that cannot be ended when it waits in the kernel", async () => {
    const process_id = newId();
    await machine.exec("sleep 8101 & sleep 8102 & wait", { process_id, wait_ms: 0 });
    await eventually(() => sleepers("8101").length === 1);
    const freezer = `/sys/fs/cgroup/freezer/limits-test-${process.pid}`;
    mkdirSync(freezer);
    try {
      writeFileSync(`${freezer}/cgroup.procs`, String(sleepers("8101")[0]));
      writeFileSync(`${freezer}/freezer.state`, "FROZEN");
      const { unkillable, process, signalled } = await machine.kill(process_id);
      expect(unkillable).toEqual([{ pid: expect.any(Number), name: "sleep", state: "D" }]);
      expect([signalled, process.status, process.left_running]).toEqual([3, "exited", 1]);
      const late = await machine.exec("sleep 8103 & exec cat", { stdin_open: true, timeout_ms: 300 });
      expect([late.status, late.timed_out, late.left_running]).toEqual(["exited", true, 0]);
    } finally {
      writeFileSync(`${freezer}/freezer.state`, "THAWED");
      await eventually(() => readFileSync(`${freezer}/cgroup.procs`, "utf8") === "");
      rmdirSync(freezer);
    }
    await eventually(async () => (await machine.call("info", {})).live_processes === 0);
  });
});

const plainRead = { stdout_offset: null, stderr_offset: null, until: null, wait_ms: 0, stream_chars: 1000 } as const;
