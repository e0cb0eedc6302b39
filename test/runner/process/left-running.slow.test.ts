// Processes that a command leaves running: the call does not wait for them, they go on, and their output is still collected.

import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { limits } from "../../../src/contract/limits.ts";
import {
  eventually,
  newId,
  openDescriptors,
  plain,
  type RunnerUnderTest,
  sleepers,
  startRunner,
  unwrap,
} from "../runner-under-test.ts";
import { servers } from "./escapes.ts";

let runner: RunnerUnderTest;
beforeAll(async () => {
  runner = await startRunner();
});
afterAll(() => runner.stop());

const end = async (process_id: string): Promise<void> => {
  unwrap(
    await runner.call("process-signal", { process_id, signal: "KILL", killed_by: "process_signal", then_kill: false }),
  );
};

describe("exec", () => {
  test.each(servers("4001"))("returns soon and tells what it left when $when", async ({ command }) => {
    const process_id = newId();
    const value = await runner.exec(command, { process_id, timeout_ms: 60_000 });
    expect([value.status, value.exit_code, value.timed_out, value.killed_by]).toEqual(["exited", 0, false, null]);
    expect(value.stdout.text).toMatch(/^(tick\n)*up\n/);
    expect(value.left_running).toBeGreaterThanOrEqual(1);
    expect(unwrap(await runner.call("info", {})).live_processes).toBeGreaterThanOrEqual(1);
    await end(process_id);
    await eventually(async () => unwrap(await runner.call("info", {})).live_processes === 0);
    expect((await runner.read(process_id)).left_running).toBe(0);
  });

  test("exec() collects what a server writes after the call has returned when it holds the pipes", async () => {
    const process_id = newId();
    const command = "(for n in $(seq 1 40); do sleep 0.05; echo late $n; done; echo last >&2) & echo up";
    const value = await runner.exec(command, { process_id });
    expect(value.left_running).toBeGreaterThan(0);
    let all = "";
    let [stdout_offset, stderr_offset] = [0, 0];
    await eventually(async () => {
      const read = await runner.read(process_id, { stdout_offset, stderr_offset, until: "output", wait_ms: 2_000 });
      all += read.stdout.text + read.stderr.text;
      stdout_offset = read.next_stdout;
      stderr_offset = read.next_stderr;
      return read.left_running === 0 && read.stderr.bytes > 0;
    });
    const expected = `up\n${Array.from({ length: 40 }, (_, n) => `late ${n + 1}\n`).join("")}`;
    expect(all).toBe(`${expected}last\n`);
    expect(readFileSync(value.stdout.log_path ?? "", "utf8")).toBe(expected);
  });

  test("exec() waits for the last output when a child writes it as the command ends", async () => {
    const values = await Promise.all(
      Array.from({ length: 20 }, () => runner.exec("(for n in 1 2 3; do :; done; echo late >&2) & echo early")),
    );
    const complete = values.filter((value) => value.stdout.text + value.stderr.text === "early\nlate\n");
    expect(complete.length).toBeGreaterThan(0);
    // On a busy host a child may get no processor in all that time; the answer says then that it still runs.
    const others = values.filter((value) => !complete.includes(value));
    expect(others.map(({ stdout, left_running }) => [stdout.text, left_running])).toEqual(
      others.map(() => ["early\n", 1]),
    );
  });

  test.each(servers("4011"))("ends what a command left running at its deadline when $when", async ({ command }) => {
    const process_id = newId();
    const value = await runner.exec(command, { process_id, timeout_ms: 1_500 });
    expect([value.status, value.exit_code, value.timed_out]).toEqual(["exited", 0, false]);
    expect(value.left_for_ms).toBeGreaterThan(0);
    expect(value.left_for_ms).toBeLessThanOrEqual(1_500);
    await eventually(async () => (await runner.read(process_id)).left_running === 0);
    expect(sleepers("4011")).toEqual([]);
    const read = await runner.read(process_id);
    expect([read.exit_code, read.timed_out, read.killed_by, read.left_for_ms]).toEqual([0, true, "timeout", null]);
    expect(read.left_ended).toBeGreaterThan(0);
  });

  test("exec() does not report a deadline when what a command left running has ended before it", async () => {
    const process_id = newId();
    const value = await runner.exec("sleep 0.2 & echo up", { process_id, timeout_ms: 1_000 });
    expect(value.left_for_ms).toBeGreaterThan(0);
    await runner.exec("sleep 1");
    const read = await runner.read(process_id);
    expect([read.timed_out, read.killed_by, read.left_ended]).toEqual([false, null, 0]);
  });

  test("exec() leaves a server alone when its command has no deadline", async () => {
    const process_id = newId();
    const value = await runner.exec("sleep 4012 >/dev/null 2>&1 & echo up", { process_id, timeout_ms: null });
    expect([value.left_running, value.left_for_ms]).toEqual([1, null]);
    await end(process_id);
  });
});

describe("process-signal", () => {
  const killed = [
    { when: "they are what a command left", command: "sleep 4031 & sleep 4031 & sleep 4031 & :", wait_ms: 20_000 },
    { when: "the command still runs", command: "sleep 4031 & sleep 4031 & sleep 4031", wait_ms: 0 },
  ];
  test.each(killed)("process-signal does not count killed processes as alive when $when", async (row) => {
    const process_id = newId();
    await runner.exec(row.command, { process_id, wait_ms: row.wait_ms });
    await eventually(() => sleepers("4031").length === 3);
    const request = { process_id, signal: "KILL", killed_by: "process_signal", then_kill: false } as const;
    const { process, signalled } = unwrap(await runner.call("process-signal", request));
    expect([process.status, process.left_running, signalled >= 3]).toEqual(["exited", 0, true]);
  });
});

describe("a runner out of descriptors", () => {
  const most = 160;
  test("exec() answers when no file can be opened to see what it left running", async () => {
    const full = await startRunner({ wrap: (line) => ["prlimit", `--nofile=${most}`, ...line] });
    const process_id = newId();
    await full.exec("sleep 2; sleep 4041 &", { process_id, wait_ms: 0 });
    const { hostname: host, port } = new URL(full.url);
    const sockets: Socket[] = [];
    await eventually(() => {
      sockets.push(connect({ host, port: Number(port) }).on("error", () => undefined));
      return openDescriptors(full.pid) >= most;
    });
    await eventually(() => sleepers("4041").length === 1);
    await new Promise((resolve) => setTimeout(resolve, limits.drainMaxMs));
    for (const socket of sockets) socket.destroy();
    await eventually(() => openDescriptors(full.pid) < most - 20);
    const read = await full.read(process_id, { until: "exit", wait_ms: 1_000 });
    await full.stop();
    expect([read.status, read.exit_code, read.left_running]).toEqual(["exited", 0, 1]);
    expect(sleepers("4041")).toEqual([]);
  });
});

describe("a runner whose commands hold its descriptors", () => {
  test("exec() refuses more of them in time for everything else to work", async () => {
    const full = await startRunner({ wrap: (line) => ["prlimit", "--nofile=512:512", ...line] });
    try {
      const ids: string[] = [];
      for (;;) {
        const process_id = newId();
        const request = { ...plain("echo up; sleep 4051"), process_id, wait_ms: 0, stdin_open: true };
        const started = await full.call("exec", request);
        if (started.ok) ids.push(process_id);
        else {
          expect(started.failure).toEqual({
            ...{ reason: "refused", subject: "Creating pipes for the command" },
            message: expect.stringMatching(
              /^The runner is at its limit of 512 open files \(\d+ are open\); \d+ processes are alive, and each takes some for its input and output\. End processes/,
            ),
          });
          break;
        }
      }
      expect(ids.length).toBeGreaterThan(50);
      expect(unwrap(await full.call("usage", {})).disk_bytes).not.toBeNull();
      expect(unwrap(await full.call("process-list", {})).processes).toHaveLength(ids.length);
      const [process_id = ""] = ids;
      const signal = { process_id, signal: "KILL", killed_by: "process_signal", then_kill: false } as const;
      for (const id of ids.slice(0, 10)) await full.call("process-signal", { ...signal, process_id: id });
      expect((await full.exec("echo fine")).stdout.text).toBe("fine\n");
    } finally {
      await full.stop();
    }
  });
});

describe("a runner to which a program of the machine opens thousands of connections", () => {
  test("exec() is answered, with and without a connection of its own from before", async () => {
    const { hostname: host, port } = new URL(runner.url);
    const sockets: Socket[] = [];
    const before = openDescriptors(runner.pid);
    const slow = runner.exec("sleep 1; echo still served");
    for (let n = 0; n < 3_000; n++) {
      sockets.push(connect({ host, port: Number(port) }).on("error", () => undefined));
      if (n % 500 === 0) expect((await runner.exec("echo fine")).stdout.text).toBe("fine\n");
    }
    await eventually(() => sockets.filter((socket) => socket.destroyed).length > 2_000);
    expect(openDescriptors(runner.pid) - before).toBeLessThan(600);
    expect((await runner.exec("echo fine")).stdout.text).toBe("fine\n");
    expect((await slow).stdout.text).toBe("still served\n");
    for (const socket of sockets) socket.destroy();
  });
});

describe("info", () => {
  test("info() counts running commands and what ended ones left running", async () => {
    const [running, left] = [newId(), newId()];
    await runner.exec("sleep 4021", { process_id: running, wait_ms: 0 });
    await runner.exec("sleep 4022 & sleep 4023 & :", { process_id: left });
    // A shell that has forked and not yet become a sleep counts for a moment.
    await eventually(async () => unwrap(await runner.call("info", {})).live_processes === 3);
    await end(running);
    await end(left);
    await eventually(async () => unwrap(await runner.call("info", {})).live_processes === 0);
  });
});
