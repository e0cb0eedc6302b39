// What a caller of a machine whose disk is full is told, and that every call still works that needs no space.

import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { isDiskFull } from "../../../src/contract/disk.ts";
import type { FileEdit } from "../../../src/contract/file-edit.ts";
import { formatFailure } from "../../../src/format/format-failure.ts";
import { formatReport } from "../../../tools/process/format-process.ts";
import { eventually, failureOf, plain, unwrap } from "../../runner/runner-under-test.ts";
import { type EngineUnderTest, isRoot, removeHomes, startEngine } from "../engine-under-test.ts";
import { bundledRunner, type MachineRunner, machineRunner } from "./machine-runner.ts";

const { runner, remove } = await bundledRunner();
const MIB = 1024 ** 2;
let engine: EngineUnderTest;
let machine: MachineRunner;

beforeEach(async () => {
  engine = await startEngine({ runner, environment: { SANDBOX_MCP_DISK_MB: "64" } });
  await engine.startMachine("a");
  machine = machineRunner(engine, "a");
  await machine.exec("echo old > old; echo other > other; mkdir directory");
});
afterEach(() => engine.close());
afterAll(() => {
  removeHomes();
  remove();
});

/** More than what remains when a program has been refused. */
const CONTENT = "new line\n".repeat(50_000);
const write = (path: string) =>
  machine.ask("file-write", {
    ...{ path, content: CONTENT, encoding: "utf-8", if_absent: false, expected_hash: null, dry_run: false },
  });
const append = (path: string) =>
  machine.ask("file-append", { path, content: CONTENT, encoding: "utf-8", expected_hash: null, dry_run: false });
const edit = (path: string) => {
  const edits: FileEdit[] = [{ kind: "replace", old_string: "old", new_string: CONTENT, replace_all: false }];
  return machine.ask("file-edit", { path, edits, expected_hash: null, dry_run: false });
};
const checkpoint = (id: string, parents: string[] = []) => machine.ask("checkpoint-create", { id, parents, more: [] });

const FILL = {
  bytes: "cat /dev/zero > big; cat /dev/zero > rest",
  "the bytes from /tmp": "cat /dev/zero > /tmp/big; cat /dev/zero > rest",
  files: "mkdir -p many; cd many; seq 100000 | xargs touch",
};

describe.runIf(isRoot)("a machine with a full disk", () => {
  it.each([
    ["bytes", /its disk of 64(\.\d)? MiB is full\. Most of it is taken by \/workspace\/big \([56]\d(\.\d)? MiB\)/],
    [
      "the bytes from /tmp",
      /its disk of 64(\.\d)? MiB is full\. Most of it is taken by \/tmp\/big \([56]\d(\.\d)? MiB\)/,
    ],
    [
      "files",
      /all 1\d,\d{3} files that its disk can hold are in use\. Most of it is taken by \/workspace\/many \(1\d,/,
    ],
  ] as const)("says what is full when %s are used up, and loses nothing", async (what, why) => {
    // The runner's own short-lived files may take some of it while it is filled.
    await eventually(async () => {
      await machine.exec(`${FILL[what]} 2>/dev/null`);
      return !(await write("probe")).ok;
    });
    for (const attempt of [() => write("new"), () => write("old"), () => append("old"), () => edit("old")]) {
      const failure = failureOf(await attempt());
      expect(formatFailure(failure)).toMatch(why);
      expect(formatFailure(failure)).toMatch(
        /"\/workspace\/\w+" was not written and is unchanged\. Delete what is not/,
      );
    }
    const shown = await machine.exec("cat old other; ls -A; ls -A directory");
    expect(shown.stdout.text).toMatch(/^old\nother\n((big|rest|many|directory|old|other|probe)\n)+$/);
    expect(shown.full_disk).toBeNull();

    const failed = await machine.exec("touch /workspace/directory/x || exit 3");
    const report = formatReport(failed);
    if (what === "files") expect(report).toMatch(/The machine has no space left: all 1\d,\d{3} files/);
    const usage = await machine.call("usage", {});
    expect(usage.disk !== null && isDiskFull(usage.disk)).toBe(true);

    unwrap(await machine.ask("file-move", { from: "old", to: "moved", overwrite: false, dry_run: false }));
    expect(unwrap(await checkpoint("c1")).archive).not.toBeNull();
    const gone = what === "files" ? "many" : what === "bytes" ? "big" : "/tmp/big";
    unwrap(await machine.ask("file-delete", { path: gone, recursive: true, dry_run: false }));
    expect(unwrap(await write("new")).size).toBe(CONTENT.length);
  });

  it("runs commands and keeps their logs, since those have a disk of their own", async () => {
    await machine.exec(`${FILL.bytes} 2>/dev/null`);
    const { stdout } = await machine.exec("seq 200000");
    expect(stdout).toMatchObject({ lines: 200_000, log_capped: false, log_error: null });
    expect((await machine.exec(`wc -l < ${stdout.log_path}`)).stdout.text).toBe("200000\n");
    const input = await machine.exec("wc -c", { stdin: "x".repeat(300_000) });
    expect(input.stdout.text).toBe("300000\n");
  });

  it("says that a log is incomplete when its disk is full, and stores checkpoints on the other", async () => {
    const fill = "cat /dev/zero > /var/log/sandbox/big; cat /dev/zero > /var/log/sandbox/rest";
    await machine.exec(`${fill}; head -c 3000000 /dev/urandom > random`);
    const report = await machine.exec("seq 200000; cat /proc/self/mounts >/dev/null");
    expect(report.stdout).toMatchObject({ lines: 200_000, log_error: "ENOSPC" });
    expect(formatReport(report)).toContain(
      "The log of its output is incomplete, because the disk that holds it is full",
    );
    expect(report.stdout.text).toMatch(/^1\n2\n[\s\S]*\n200000\n$/);
    expect(unwrap(await checkpoint("c1")).archive?.bytes).toBeGreaterThan(3_000_000);
    await machine.exec("cat /dev/urandom > big; cat /dev/urandom > rest");
    const failure = failureOf(await checkpoint("c2", ["c1"]));
    expect(formatFailure(failure)).toMatch(
      /no space left: its disk of 64(\.\d)? MiB is full\. Most of it is taken by \/workspace\/big/,
    );
    await machine.exec("rm big");
    expect(unwrap(await checkpoint("c3", ["c1"])).archive).not.toBeNull();
  });

  it("can be filled for long without an effect on the answers of another machine", async () => {
    await engine.startMachine("b");
    const other = machineRunner(engine, "b");
    await machine.ask("exec", { ...plain("while :; do cat /dev/zero > big; rm big; done 2>/dev/null"), wait_ms: 0 });
    for (let n = 0; n < 20; n++) expect((await other.exec(`echo ${n} > f; cat f`)).stdout.text).toBe(`${n}\n`);
    expect((await other.call("usage", {})).disk?.free_bytes).toBeGreaterThan(50 * MIB);
  });
});
