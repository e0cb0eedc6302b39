// Generated code that does not yield, or takes all memory: it is ended and reported, and no other call notices.

import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { limits } from "../../src/contract/limits.ts";
import { connect, type McpClient } from "./support/clients.ts";

let client: McpClient;
let neighbour: McpClient;
beforeAll(async () => {
  const { url, key, otherKey } = inject("server");
  client = await connect("2026", { url, key: otherKey });
  neighbour = await connect("2026", { url, key });
  await neighbour.call("exec", { command: "true" });
});
afterAll(() => Promise.all([client.close(), neighbour.close()]));

const run = async (code: string, timeout_ms = 2_000) => (await client.call("run_js", { code, timeout_ms })).structured;

/** Calls of another principal, one after another, until `work` is done. Rejects when one of them fails. */
async function besideNeighbour<Value>(work: Promise<Value>): Promise<{ value: Value; calls: number }> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  // Its rejection is reported by the await below.
  done.catch(() => undefined);
  let calls = 0;
  while (!isDone) {
    const { structured, isError } = await neighbour.call("exec", { command: "echo here" });
    expect([structured?.["stdout"], isError]).toEqual(["here\n", false]);
    calls += 1;
  }
  return { value: await done, calls };
}

const grow = (add: string) => `console.log("before"); const kept = []; for (;;) kept.push(${add})`;

const endless: [title: string, code: string, error: string][] = [
  ["loops", 'console.log("before"); while (true) {}', "Timeout"],
  ["reads the clock in a loop", 'console.log("before"); for (;;) Date.now()', "Timeout"],
  ["resolves promises in a loop", 'console.log("before"); for (;;) await null', "Timeout"],
  ["loops after an await", 'await null; console.log("before"); for (;;);', "Timeout"],
  ["loops in a timer", 'console.log("before"); setTimeout(() => { for (;;); }); 5', "Timeout"],
  ["loops after a provider call", 'await state.get("k"); console.log("before"); for (;;);', "Timeout"],
  ["backtracks in a regular expression", 'console.log("before"); /^(a+)+$/.test("a".repeat(50) + "b")', "Timeout"],
  ["replaces what the console uses", 'console.log("before"); Array.prototype.map = 1; for (;;);', "Timeout"],
  ["fills the heap", grow("new Array(1e5).fill(Math.random())"), "MemoryLimit"],
  ["allocates buffers", grow("new Uint8Array(1e7).fill(1)"), "RangeError"],
];

test.each(endless)(
  "run_js() ends code that %s, with its log, and no other call notices",
  async (_title, code, error) => {
    const { value } = await besideNeighbour(run(code, error === "Timeout" ? 2_000 : 60_000));
    expect(value).toMatchObject({ error: { name: error }, logs: "before" });
    expect((await run("1 + 1", 30_000))?.["value"]).toBe(2);
  },
);

test("run_js() keeps the first and the last lines of code that logs in a loop", async () => {
  const logs = String((await run('for (let i = 0; ; i++) console.log("line " + i)'))?.["logs"]).split("\n");
  expect(logs[0]).toBe("line 0");
  expect(logs.filter((line) => !/^line \d+$/.test(line))).toEqual([
    expect.stringMatching(/^\[… [\d,]+ log entries omitted\]$/),
  ]);
});

test("a burst of endless loops is answered, and other runs follow it", async () => {
  const burst = Promise.all(Array.from({ length: 10 }, () => run("for (;;);", 3_000)));
  // Runs of another principal do not queue behind these.
  const beside = neighbour.call("run_js", { code: "1 + 1", timeout_ms: 2_500 });
  const { value } = await besideNeighbour(burst);
  expect((await beside).structured).toMatchObject({ value: 2 });
  expect(value.map((answer) => answer?.["error"])).toEqual(
    Array.from({ length: 10 }, () => expect.objectContaining({ name: "Timeout" })),
  );
  expect((await run("1 + 1", 30_000))?.["value"]).toBe(2);
});

test("a loop ends when its client goes away", async () => {
  const leave = new AbortController();
  const calls = Array.from({ length: limits.isolatesAtOnce }, () =>
    client
      .call(
        "run_js",
        { code: 'await state.get("k"); for (;;);', timeout_ms: limits.waitMaxMs },
        { signal: leave.signal },
      )
      .catch(() => "left"),
  );
  // All slots are taken, so that this one is never started.
  await expect.poll(() => run("1", 300)).toMatchObject({ error: { message: expect.stringMatching(/not started/) } });
  leave.abort();
  expect(await Promise.all(calls)).toEqual(calls.map(() => "left"));
  await expect.poll(() => run("1 + 1", 300)).toMatchObject({ value: 2 });
});

describe("the output of a command", () => {
  const whole: [title: string, code: string, value: unknown][] = [
    ["of 100,000 lines", '(await sandbox.exec("seq 1 100000")).stdout.trim().split("\\n").length', 100_000],
    [
      "that is JSON of 700 KB",
      `const list = Array.from({ length: 50_000 }, (_, n) => "item " + n);
       await sandbox.writeFile("list.json", JSON.stringify(list));
       JSON.parse((await sandbox.exec("cat list.json")).stdout).length`,
      50_000,
    ],
    [
      "of 8 MiB",
      `(await sandbox.exec("head -c ${limits.runOutputMaxBytes} /dev/zero | tr '\\\\0' x")).stdout.length`,
      limits.runOutputMaxBytes,
    ],
    [
      "on both streams, with characters of several bytes",
      `const { stdout, stderr } = await sandbox.exec("yes äöü€ | head -200000; yes 日本 | head -200000 >&2");
       [stdout === "äöü€\\n".repeat(200_000), stderr === "日本\\n".repeat(200_000)]`,
      [true, true],
    ],
    [
      "of a process in the background",
      `const { process_id } = await sandbox.exec({ command: "seq 1 100000", background: true });
       (await sandbox.readProcess({ process_id, until: "exit" })).stdout.trim().split("\\n").length`,
      100_000,
    ],
  ];
  test.each(whole)("reaches code whole: %s", async (_title, code, value) => {
    expect((await run(code, 60_000))?.["value"]).toEqual(value);
  });

  test("is an error that says how to read on when it is larger", async () => {
    const code = `try { await sandbox.exec("seq 1 2000000; exit 3") } catch (error) {
      const { reason, message, process_id, exit_code, stdout_bytes } = error;
      let text = "", offset = 0;
      while (offset < stdout_bytes) {
        const part = await sandbox.readProcess({ process_id, stdout_offset: offset });
        text += part.stdout;
        offset = part.next_stdout;
      }
      [reason, message.replaceAll(process_id, "ID"), exit_code, stdout_bytes, text.length]
    }`;
    expect((await run(code, 120_000))?.["value"]).toEqual([
      "output_incomplete",
      'The command ended with exit code 3, but its output of 14,888,896 bytes is more than the 8 MiB that code gets at once. Read it in parts with sandbox.readProcess({process_id: "ID", stdout_offset: 0}), each from the next_stdout of the one before, or as bytes with sandbox.readFile({path, bytes: true, offset, length}) from /var/log/sandbox/ID.stdout.log; or send the output of the command to a file.',
      3,
      14_888_896,
      14_888_896,
    ]);
  });
});
