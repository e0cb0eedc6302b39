// Processes after their start: attached to by id, listed, read, written to and signalled, on pipes and on terminals.

import { once } from "node:events";
import { createConnection } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { limits } from "../../../src/contract/limits.ts";
import type { KilledBy } from "../../../src/contract/process.ts";
import type { ProcessSignalRequest } from "../../../src/contract/process-signal.ts";
import {
  eventually,
  failureOf,
  newId,
  plain,
  post,
  type RunnerUnderTest,
  sleepers,
  startRunner,
  unwrap,
} from "../runner-under-test.ts";

let runner: RunnerUnderTest;
beforeAll(async () => {
  runner = await startRunner();
});
afterAll(() => runner.stop());

const signal = async (
  process_id: string,
  name: ProcessSignalRequest["signal"],
  killed_by: KilledBy = "process_signal",
  then_kill = false,
) => unwrap(await runner.call("process-signal", { process_id, signal: name, killed_by, then_kill }));

/** Reads stdout from `offset` until `pattern` is in it. */
async function readUntil(process_id: string, pattern: RegExp, offset: number): Promise<{ text: string; next: number }> {
  let [text, next] = ["", offset];
  await eventually(async () => {
    const read = await runner.read(process_id, { stdout_offset: next, until: "output", wait_ms: 5_000 });
    text += read.stdout.text;
    next = read.next_stdout;
    return pattern.test(text);
  });
  return { text, next };
}

describe("exec with an id that exists", () => {
  test("exec() attaches and does not run the command again when the request is the same", async () => {
    const options = { process_id: newId(), env: { A: "1", B: "2" }, stdin: "x" };
    const command = "cat >>ran; sleep 0.3; echo done";
    const first = runner.exec(command, options);
    const values = await Promise.all([
      first,
      runner.exec(command, { ...options, env: { B: "2", A: "1" } }),
      runner.exec(command, options),
    ]);
    expect(values.map((value) => value.stdout.text)).toEqual(["done\n", "done\n", "done\n"]);
    expect(values.map((value) => value.attached).sort()).toEqual([false, true, true]);
    const later = await runner.exec(command, options);
    expect([later.attached, later.status, later.stdout.text]).toEqual([true, "exited", "done\n"]);
    expect((await runner.exec("cat ran")).stdout.text).toBe("x");
  });

  const others = [
    { command: "echo b" },
    { cwd: "/" },
    { env: { A: "2" } },
    { stdin: "y" },
    { pty: { columns: 80, rows: 24 } },
  ];
  test.each(others)("exec() refuses when %j is different", async (other) => {
    const request = { ...plain("echo a"), env: { A: "1" }, stdin: "x" };
    unwrap(await runner.call("exec", request));
    const failure = failureOf(await runner.call("exec", { ...request, ...other }));
    expect(failure).toEqual({ reason: "process_conflict", process_id: request.process_id });
  });

  test("exec() finds the process again when the connection that started it was lost", async () => {
    const request = { ...plain("sleep 0.5; echo survived; exit 4") };
    const body = JSON.stringify(request);
    const socket = createConnection(Number(new URL(runner.url).port), "127.0.0.1");
    socket.write(`POST /v1/exec HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    await eventually(
      async () =>
        (
          await runner.call("process-read", {
            process_id: request.process_id,
            stdout_offset: null,
            stderr_offset: null,
            until: null,
            wait_ms: 0,
            stream_chars: 0,
          })
        ).ok,
    );
    socket.destroy();
    const value = unwrap(await runner.call("exec", request));
    expect([value.attached, value.exit_code, value.stdout.text]).toEqual([true, 4, "survived\n"]);
  });

  test("exec() starts the command once and answers both calls when they arrive at once", async () => {
    const request = plain("echo once >>count; cat count");
    const values = await Promise.all(Array.from({ length: 8 }, () => runner.call("exec", request)));
    expect(values.map((value) => unwrap(value).stdout.text)).toEqual(Array(8).fill("once\n"));
  });
});

describe("process-signal", () => {
  const endings = [
    { name: "INT", signal: "SIGINT", exit: 130, by: "process_signal" },
    { name: "TERM", signal: "SIGTERM", exit: 143, by: "process_signal" },
    { name: "KILL", signal: "SIGKILL", exit: 137, by: "cancel" },
    { name: "HUP", signal: "SIGHUP", exit: 129, by: "process_signal" },
  ] as const;
  test.each(endings)(
    "ends everything with $name and says by what when nothing resists",
    async ({ name, signal: ended, exit, by }) => {
      const process_id = newId();
      await runner.exec(
        "sleep 6001 & exec python3 -c 'import signal,time\nfor s in (1,2): signal.signal(s, signal.SIG_DFL)\nprint(1, flush=True); time.sleep(99)'",
        { process_id, wait_ms: 0 },
      );
      await readUntil(process_id, /1/, 0);
      const { signalled } = await signal(process_id, name, by);
      expect(signalled).toBe(2);
      // An interactive interrupt spares what a shell put in the background.
      if (name === "INT") await signal(process_id, "KILL");
      const value = await runner.read(process_id, { until: "exit" });
      expect([value.signal, value.exit_code, value.killed_by, value.timed_out]).toEqual([ended, exit, by, false]);
      await eventually(() => sleepers("6001").length === 0);
    },
  );

  test("process-signal does not claim an end when the process went on and ended by itself", async () => {
    const other = newId();
    await runner.exec("trap 'echo got; exit 5' USR1; echo ready; while :; do sleep 0.02; done", {
      process_id: other,
      wait_ms: 0,
    });
    await readUntil(other, /ready/, 0);
    await signal(other, "USR1");
    const value = await runner.read(other, { until: "exit" });
    expect([value.exit_code, value.killed_by, value.signal, value.stdout.text]).toEqual([
      5,
      null,
      null,
      "ready\ngot\n",
    ]);
  });

  test("process-signal kills after the grace period and reports killed_by when then_kill is set", async () => {
    const process_id = newId();
    await runner.exec("trap '' TERM INT; echo ready; while :; do sleep 0.1; done", { process_id, wait_ms: 0 });
    await readUntil(process_id, /ready/, 0);
    await signal(process_id, "INT", "cancel", true);
    const value = await runner.read(process_id, { until: "exit" });
    expect([value.signal, value.exit_code, value.killed_by]).toEqual(["SIGKILL", 137, "cancel"]);
  });

  test("process-signal stops and continues when asked to", async () => {
    const process_id = newId();
    await runner.exec("while :; do echo tick; sleep 0.02; done", { process_id, wait_ms: 0 });
    const { next } = await readUntil(process_id, /tick/, 0);
    await signal(process_id, "STOP");
    let still = -1;
    await eventually(async () => {
      const before = still;
      still = (await runner.read(process_id, { until: "output", wait_ms: 100 })).stdout.bytes;
      return still === before;
    });
    const read = await runner.read(process_id, { until: "output", wait_ms: 300 });
    expect(read.stdout.bytes).toBe(still);
    await signal(process_id, "CONT");
    await readUntil(process_id, /tick\n/, still);
    expect(next).toBeGreaterThan(0);
    await signal(process_id, "KILL");
  });
});

describe("process-write", () => {
  test("process-write drives a python prompt when stdin was left open", async () => {
    const process_id = newId();
    await runner.exec("python3 -iq 2>&1", { process_id, stdin_open: true, wait_ms: 0 });
    let { next } = await readUntil(process_id, />>> $/, 0);
    unwrap(await runner.write(process_id, "6 * 7\n"));
    const answer = await readUntil(process_id, />>> $/, next);
    expect(answer.text).toBe("42\n>>> ");
    next = answer.next;
    unwrap(await runner.write(process_id, `exec("print('busy', flush=True)\\nwhile True: pass")\n`));
    next = (await readUntil(process_id, /busy\n$/, next)).next;
    // Once: a second one could hit it while it shows the first, and end it.
    expect((await signal(process_id, "INT")).signalled).toBeGreaterThan(0);
    const interrupted = await readUntil(process_id, />>> $/, next);
    expect(interrupted.text).toContain("KeyboardInterrupt");
    next = interrupted.next;
    unwrap(await runner.write(process_id, "print('é' * 2)\n"));
    expect((await readUntil(process_id, />>> $/, next)).text).toBe("éé\n>>> ");
    expect(unwrap(await runner.write(process_id, "", true)).written_bytes).toBe(0);
    const value = await runner.read(process_id, { until: "exit" });
    expect([value.exit_code, value.killed_by]).toEqual([0, null]);
  });

  test("process-write feeds a program that opens its stdin by name when all was written before", async () => {
    const process_id = newId();
    await runner.exec("sleep 0.3; cat /dev/stdin", { process_id, stdin: "first ", stdin_open: true, wait_ms: 0 });
    unwrap(await runner.write(process_id, "second", true));
    expect((await runner.read(process_id, { until: "exit" })).stdout.text).toBe("first second");
  });

  test("process-write says why when the process takes no input", async () => {
    const [closed, ended] = [newId(), newId()];
    await runner.exec("sleep 6002", { process_id: closed, wait_ms: 0 });
    await runner.exec("true", { process_id: ended, stdin_open: true });
    expect(failureOf(await runner.write(closed, "x"))).toEqual({
      reason: "stdin_closed",
      process_id: closed,
      status: "running",
    });
    expect(failureOf(await runner.write(ended, "x"))).toEqual({
      reason: "stdin_closed",
      process_id: ended,
      status: "exited",
    });
    expect(failureOf(await runner.write("nobody", "x"))).toEqual({
      reason: "not_found",
      kind: "process",
      name: "nobody",
    });
    await signal(closed, "KILL");
  });

  test("process-write delivers queued input once when the program reads late", async () => {
    const process_id = newId();
    const command = "sleep 6; cat >all; wc -c <all; tail -c 5 all";
    await runner.exec(command, { process_id, stdin_open: true, wait_ms: 0 });
    const data = "x".repeat(200_000);
    const queued = unwrap(await runner.write(process_id, data));
    expect([queued.written_bytes, queued.queued_bytes, queued.process.status]).toEqual([200_000, 200_000, "running"]);
    expect(unwrap(await runner.write(process_id, "last\n", true)).queued_bytes).toBe(0);
    expect((await runner.read(process_id, { until: "exit" })).stdout.text).toBe("200005\nlast\n");
  });

  test("process-write neither waits for ever nor queues without limit when the program does not read", async () => {
    const process_id = newId();
    await runner.exec("sleep 6003", { process_id, stdin_open: true, wait_ms: 0 });
    const piece = "x".repeat(limits.stdinMaxBytes / 2);
    const results = await Promise.all([
      runner.write(process_id, piece),
      runner.write(process_id, piece),
      runner.write(process_id, piece),
    ]);
    const taken = results.filter((result) => result.ok).map((result) => unwrap(result));
    expect(taken.map((value) => [value.written_bytes, value.queued_bytes])).toEqual(
      Array(2).fill([piece.length, 2 * piece.length]),
    );
    expect(results.filter((result) => !result.ok).map((result) => failureOf(result).reason)).toEqual(["too_large"]);
    await signal(process_id, "KILL");
    expect((await runner.read(process_id, { until: "exit" })).signal).toBe("SIGKILL");
  });
});

describe("exec on a terminal", () => {
  const pty = { columns: 93, rows: 31 };

  test("exec() runs the command verbatim on a terminal of the given size when pty is given", async () => {
    const command =
      "stty size; test -t 0 && test -t 1 && test -t 2 && echo \"$TERM 'a' \\$x\"; env | grep -c SANDBOX_PTY; tput cols; echo err >&2; exit 9";
    const value = await runner.exec(command, { pty });
    expect([value.exit_code, value.stdout.text, value.stderr.bytes]).toEqual([
      9,
      "31 93\nxterm-256color 'a' $x\n0\n93\nerr\n",
      0,
    ]);
  });

  test("exec() reports the signal from the exit code when a command on a terminal is killed", async () => {
    expect((await runner.exec("kill -KILL $$", { pty })).exit_code).toBe(137);
  });

  test("exec() sends and ends the input when a command on a terminal is given stdin", async () => {
    const value = await runner.exec("stty -echo; cat; echo end", { pty, stdin: "given\n" });
    expect([value.exit_code, value.stdout.text.endsWith("given\nend\n")]).toEqual([0, true]);
  });

  test("process-write types, interrupts and ends the input when a program runs on a terminal", async () => {
    const process_id = newId();
    await runner.exec("python3 -q", { process_id, pty, stdin_open: true, wait_ms: 0 });
    let { next } = await readUntil(process_id, />>> $/, 0);
    unwrap(await runner.write(process_id, "6 * 7\n"));
    ({ next } = await readUntil(process_id, /6 \* 7\n42\n>>> $/, next));
    // The terminal shows a line before anybody has read it: only what it prints tells that it runs.
    unwrap(await runner.write(process_id, "import time; print('busy'); time.sleep(99)\n"));
    ({ next } = await readUntil(process_id, /\nbusy\n/, next));
    unwrap(await runner.write(process_id, "\x03"));
    ({ next } = await readUntil(process_id, /KeyboardInterrupt\n>>> $/, next));
    unwrap(await runner.write(process_id, "print('busy'); time.sleep(99)\n"));
    ({ next } = await readUntil(process_id, /\nbusy\n/, next));
    expect((await signal(process_id, "INT")).signalled).toBeGreaterThan(0);
    ({ next } = await readUntil(process_id, /KeyboardInterrupt\n>>> $/, next));
    // Python ends by the signal that interrupted its last statement.
    unwrap(await runner.write(process_id, "8 * 8\n"));
    await readUntil(process_id, /64\n>>> $/, next);
    unwrap(await runner.write(process_id, "", true));
    const value = await runner.read(process_id, { until: "exit" });
    expect([value.exit_code, value.killed_by, value.left_running]).toEqual([0, null, 0]);
  });

  test("exec() ends everything on a terminal when its deadline passes", async () => {
    const value = await runner.exec("trap '' HUP; sleep 6004 & sleep 6004", { pty, timeout_ms: 400 });
    expect([value.timed_out, value.killed_by, value.left_running]).toEqual([true, "timeout", 0]);
    expect(sleepers("6004")).toEqual([]);
  });
});

describe("the runner's HTTP", () => {
  const invalid = [
    { when: "the body is no JSON", name: "exec", body: undefined, words: /not valid JSON/ },
    {
      when: "a field is missing",
      name: "process-write",
      body: { process_id: "a", eof: true },
      words: /data: .*string/,
    },
    {
      when: "an id is not one",
      name: "process-write",
      body: { process_id: "../x", data: "", eof: true },
      words: /process_id: must be 1 to 64/,
    },
    { when: "the body is no object", name: "info", body: [], words: /object/ },
  ];
  test.each(invalid)("POST answers invalid_request with a reason when $when", async ({ name, body, words }) => {
    expect(await post(runner.url, name, body)).toEqual({
      ok: false,
      failure: { reason: "invalid_request", message: expect.stringMatching(words) },
    });
  });

  test("POST ignores unknown keys", async () => {
    expect(await post(runner.url, "info", { later: 1 })).toMatchObject({ ok: true, value: { contract_version: 1 } });
  });

  test("POST answers not_found when the operation is unknown", async () => {
    for (const name of ["nothing", "constructor", "exec/x"]) {
      expect(await post(runner.url, name, {})).toEqual({
        ok: false,
        failure: { reason: "not_found", kind: "operation", name },
      });
    }
  });

  test("POST answers too_large when the body is over the limit", async () => {
    const result = await post(runner.url, "exec", { stdin: "x".repeat(limits.requestMaxBytes) });
    expect(result).toMatchObject({ ok: false, failure: { reason: "too_large", limit: limits.requestMaxBytes } });
  });

  test("GET answers 200 for /health and 404 for the rest", async () => {
    const statuses = await Promise.all(
      ["/health", "/", "/v1/info", "/health/x"].map(async (path) => (await fetch(runner.url + path)).status),
    );
    expect(statuses).toEqual([200, 404, 404, 404]);
  });

  test("the runner goes on when a command kills every process with the name of its program", async () => {
    await runner.exec(`kill $(pgrep -x node -P ${process.pid}) 2>/dev/null`);
    expect((await runner.exec("echo alive")).stdout.text).toBe("alive\n");
  });

  test("the runner exits with a reason when its port is taken", async () => {
    const other = await startRunner();
    const port = new URL(other.url).port;
    const value = await other.exec('"$NODE" "$MAIN" 2>&1 | grep -c EADDRINUSE', {
      env: {
        RUNNER_PORT: port,
        NODE: process.execPath,
        MAIN: new URL("../../../container/runner/main.ts", import.meta.url).pathname,
      },
    });
    expect(Number(value.stdout.text)).toBeGreaterThan(0);
    other.child.kill("SIGKILL");
    await once(other.child, "exit");
  });
});
