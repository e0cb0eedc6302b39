// The output of commands: exact in the log, faithful and bounded in the answer.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readStat } from "../../../container/proc/process-stat.ts";
import { limits } from "../../../src/contract/limits.ts";
import { newId, type RunnerUnderTest, residentMiB, startRunner, unwrap } from "../runner-under-test.ts";

let runner: RunnerUnderTest;
beforeAll(async () => {
  runner = await startRunner();
  writeFileSync(join(runner.workspace, "write.py"), WRITER);
});
afterAll(() => runner.stop());

/** Makes the writes that its stdin lists: each line is a descriptor and hexadecimal bytes. */
const WRITER = `import os, sys
for line in sys.stdin:
    fd, data = line.split()
    os.write(int(fd), bytes.fromhex(data))
`;

type Write = [1 | 2, Uint8Array];

const script = (writes: Write[]): string =>
  writes.map(([fd, bytes]) => `${fd} ${Buffer.from(bytes).toString("hex")}\n`).join("");

const joined = (writes: Write[], fd: 1 | 2): Buffer =>
  Buffer.concat(writes.filter(([to]) => to === fd).map(([, bytes]) => bytes));

const logOf = (stream: { log_path: string | null }): Buffer =>
  stream.log_path === null ? Buffer.alloc(0) : readFileSync(stream.log_path);

const linesOf = (bytes: Buffer): number =>
  bytes.toString("latin1").split("\n").length - (bytes.length === 0 || bytes.at(-1) === 10 ? 1 : 0);

const anyBytes: fc.Arbitrary<Write[]> = fc.array(
  fc.tuple(fc.constantFrom<1 | 2>(1, 2), fc.uint8Array({ minLength: 1, maxLength: 3_000, size: "max" })),
  { maxLength: 12 },
);

/** Valid text, cut into writes at any position, also inside characters. */
const cutText: fc.Arbitrary<Write[]> = fc
  .tuple(fc.string({ unit: "binary", maxLength: 300, size: "max" }), fc.integer({ min: 1, max: 7 }))
  .map(([text, size]) => {
    const bytes = Buffer.from(text.replace(/\p{Cc}|\p{Cs}/gu, "\n"));
    return Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => [
      1,
      bytes.subarray(n * size, (n + 1) * size),
    ]);
  });

describe("exec", () => {
  test("exec() keeps exactly the bytes that were written, whatever they are and however they are cut", async () => {
    await fc.assert(
      fc.asyncProperty(anyBytes, async (writes) => {
        const value = await runner.exec("python3 write.py", { stdin: script(writes) });
        for (const [stream, fd] of [
          [value.stdout, 1],
          [value.stderr, 2],
        ] as const) {
          const bytes = joined(writes, fd);
          expect(logOf(stream).equals(bytes)).toBe(true);
          expect([stream.bytes, stream.lines]).toEqual([bytes.length, linesOf(bytes)]);
          expect(stream.invalid_utf8 || stream.omitted_bytes > 0 || !stream.text.includes("\ufffd")).toBe(true);
          expect(stream.text).not.toMatch(/(?![\n\t])\p{Cc}/u);
        }
      }),
      { numRuns: 40 },
    );
  });

  test("exec() answers the text unchanged when it is valid text cut at any position", async () => {
    await fc.assert(
      fc.asyncProperty(cutText, async (writes) => {
        const value = await runner.exec("python3 write.py", { stdin: script(writes) });
        expect(value.stdout.text).toBe(joined(writes, 1).toString("utf8"));
        expect(value.stdout.invalid_utf8).toBe(false);
      }),
      { numRuns: 40 },
    );
  });

  test("process-read answers every character whole when its bytes arrive apart", async () => {
    const process_id = newId();
    const command =
      "for b in '\\xe2' '\\x82' '\\xac' 'x' '\\xf0' '\\x9f' '\\x98' '\\x80'; do printf $b; sleep 0.05; done";
    let read = { ...(await runner.exec(command, { process_id, wait_ms: 0 })), next_stdout: 0 };
    const texts = [read.stdout.text];
    let offset = Buffer.byteLength(read.stdout.text);
    while (read.status === "running") {
      read = await runner.read(process_id, { stdout_offset: offset, until: "output" });
      texts.push(read.stdout.text);
      offset = read.next_stdout;
    }
    expect(texts.join("")).toBe("€x😀");
    expect(offset).toBe(8);
  });

  test("exec() flags bytes that are not UTF-8, and keeps them in the log", async () => {
    const value = await runner.exec("printf 'caf\\xe9\\n'; printf 'fine é\\n' >&2");
    expect([value.stdout.text, value.stdout.invalid_utf8]).toEqual(["caf\ufffd\n", true]);
    expect([value.stderr.text, value.stderr.invalid_utf8]).toEqual(["fine é\n", false]);
    expect(logOf(value.stdout).toString("latin1")).toBe("caf\xe9\n");
  });

  test("exec() cleans the text and leaves the log raw when there are colours and progress", async () => {
    const raw = "\x1b[1;31mred\x1b[0m\n 10%\r 50%\r100%\n\x1b]8;;http://x\x07link\x1b]8;;\x07\n";
    const value = await runner.exec("cat", { stdin: raw });
    expect(value.stdout.text).toBe("red\n100%\nlink\n");
    expect(logOf(value.stdout).toString()).toBe(raw);
  });

  const long = [
    {
      when: "it has many lines",
      command: "seq 1 100000",
      total: 588_895,
      lines: 100_000,
      first: "1\n2\n",
      last: "\n99999\n100000\n",
    },
    {
      when: "it is one line",
      command: "head -c 500000 /dev/zero | tr '\\0' x; echo END",
      total: 500_004,
      lines: 1,
      first: "xxx",
      last: "xEND\n",
    },
    {
      when: "it just exceeds the answer",
      command: "seq 1 4000; echo 'error: at the end'",
      total: 18_911,
      lines: 4_001,
      first: "1\n2\n",
      last: "4000\nerror: at the end\n",
    },
    {
      when: "its lines are of wide characters",
      command: "for n in $(seq 3000); do echo 日本語日本語日本語; done; echo END",
      total: 84_004,
      lines: 3_001,
      first: "日本語",
      last: "語\nEND\n",
    },
  ];
  test.each(long)(
    "answers head and tail and what it left out when $when",
    async ({ command, total, lines, first, last }) => {
      const { stdout } = await runner.exec(command, { stream_chars: 4_000 });
      expect([stdout.bytes, stdout.lines, stdout.invalid_utf8]).toEqual([total, lines, false]);
      expect(stdout.text.length).toBeLessThanOrEqual(4_000);
      expect(stdout.text.length).toBeGreaterThan(3_000);
      expect(stdout.text.startsWith(first)).toBe(true);
      expect(stdout.text.endsWith(last)).toBe(true);
      const mark = /\n\[… ([\d,]+) bytes.* omitted; whole output in (.*)\]\n/.exec(stdout.text);
      expect([Number(mark?.[1]?.replaceAll(",", "")), mark?.[2]]).toEqual([stdout.omitted_bytes, stdout.log_path]);
      const kept = Buffer.byteLength(stdout.text.replace(mark?.[0] ?? "", ""));
      // The newline before the mark is the text's own where the head ends with a line.
      expect([total - kept, total - kept - 1]).toContain(stdout.omitted_bytes);
      expect(logOf(stdout)).toHaveLength(total);
    },
  );

  test("exec() answers no text but all counts when stream_chars is 0", async () => {
    const { stdout } = await runner.exec("seq 1 10", { stream_chars: 0 });
    expect([stdout.text, stdout.bytes, stdout.omitted_bytes]).toEqual(["", 21, 21]);
  });

  test("exec() takes little memory when a command writes endlessly", async () => {
    await runner.exec("yes | head -c 64M");
    const before = residentMiB(runner.pid);
    let highest = 0;
    const watch = setInterval(() => {
      highest = Math.max(highest, residentMiB(runner.pid));
    }, 50);
    const value = await runner.exec("yes | head -c 2G", { wait_ms: 60_000 });
    clearInterval(watch);
    expect([value.stdout.bytes, value.stdout.lines, value.exit_code]).toEqual([2 ** 31, 2 ** 30, 0]);
    expect(value.stdout.log_capped).toBe(true);
    expect(value.stdout.text).toContain(`the first ${limits.logMaxBytes} bytes are in`);
    expect(logOf(value.stdout)).toHaveLength(limits.logMaxBytes);
    expect(highest - before).toBeLessThan(64);
  });

  test("process-read continues from memory and reports what is lost when the log was capped", async () => {
    const process_id = newId();
    await runner.exec("head -c 70M /dev/zero | tr '\\0' '\\n'; echo END", { process_id });
    const offset = limits.logMaxBytes - 10;
    const inLog = await runner.read(process_id, { stdout_offset: offset });
    expect([inLog.stdout.text, inLog.next_stdout, inLog.lost_stdout]).toEqual(["\n".repeat(10), limits.logMaxBytes, 0]);
    const beyond = await runner.read(process_id, { stdout_offset: limits.logMaxBytes });
    const total = 70 * 1024 * 1024 + 4;
    expect(beyond.lost_stdout).toBe(total - limits.captureTailBytes - limits.logMaxBytes);
    const last = await runner.read(process_id, { stdout_offset: total - 6 });
    expect([last.stdout.text, last.next_stdout, last.lost_stdout]).toEqual(["\n\nEND\n", total, 0]);
  });

  test("process-read answers all of it piece by piece when it is long", async () => {
    const process_id = newId();
    await runner.exec("seq 1 60000 | sed 's/$/ ü/'", { process_id });
    let [offset, all] = [0, ""];
    for (;;) {
      const read = await runner.read(process_id, { stdout_offset: offset, stream_chars: 10_000 });
      if (read.stdout.text === "") break;
      expect(read.stdout.text.length).toBeLessThanOrEqual(10_000);
      expect(read.stdout.text.endsWith("\n")).toBe(true);
      all += read.stdout.text;
      offset = read.next_stdout;
    }
    expect(all).toBe(Array.from({ length: 60_000 }, (_, n) => `${n + 1} ü\n`).join(""));
  });
});

describe("the log", () => {
  test("exec() answers the output when no log can be written", async () => {
    const other = await startRunner({ env: { RUNNER_LOG_DIRECTORY: join(runner.workspace, "write.py", "log") } });
    const value = await other.exec("seq 1 100000; echo e >&2");
    expect([value.exit_code, value.stdout.bytes, value.stdout.log_path, value.stderr.log_path]).toEqual([
      0,
      588_895,
      null,
      null,
    ]);
    expect(value.stdout.text).toContain("no log could be kept");
    expect(value.stderr.text).toBe("e\n");
    await other.stop();
  });

  test("exec() reports that the log is cut short when the disk is full", async () => {
    const root = join(runner.workspace, "full");
    mkdirSync(root);
    const mounted = await runner.exec(`mount -t tmpfs -o size=1M none '${root}'`);
    if (mounted.exit_code !== 0) {
      console.warn(`NOT TESTED: no file system can be mounted here (${mounted.stderr.text.trim()})`);
      return;
    }
    const other = await startRunner({ env: { RUNNER_LOG_DIRECTORY: root } });
    const value = await other.exec("head -c 3M /dev/zero | tr '\\0' '\\n'; echo END");
    expect([value.exit_code, value.stdout.bytes, value.stdout.log_capped]).toEqual([0, 3 * 1024 * 1024 + 4, true]);
    expect(value.stdout.text.endsWith("END\n")).toBe(true);
    expect(logOf(value.stdout).length).toBeLessThanOrEqual(1024 * 1024);
    await other.stop();
    await runner.exec(`umount '${root}'`);
  });

  test("exec() creates the log directory again when a command removed it", async () => {
    rmSync(runner.logs, { recursive: true });
    expect(logOf((await runner.exec("echo kept")).stdout).toString()).toBe("kept\n");
  });

  test("exec() does not delay other calls when output is expensive to render", async () => {
    const command = `python3 -c "import sys; sys.stdout.write('ab\\b'+'\\x1b[9999@'*1500+'\\nend\\n')"`;
    const [hostile, used] = await Promise.all([runner.exec(command), processorMs(() => runner.exec(command))]);
    expect(hostile.stdout.text).toBe(`a${" ".repeat(158)}b\nend\n`);
    expect(used).toBeLessThan(1_000);
  });

  const far = [
    { when: "all fits", lines: 2, omits: false },
    { when: "it is too long", lines: 200, omits: true },
  ];
  test.each(far)("exec() counts the omitted bytes of lines with long cursor moves when $when", async (row) => {
    const { stdout } = await runner.exec(`for n in $(seq ${row.lines}); do printf '\\033[9999C%s\\n' x; done`);
    const mark = /\n\[… ([\d,]+) bytes, ([\d,]+) lines omitted;/.exec(stdout.text);
    expect(stdout.text.startsWith(`${" ".repeat(160)}x\n`)).toBe(true);
    expect([stdout.bytes, stdout.lines]).toEqual([row.lines * 9, row.lines]);
    expect([mark !== null, stdout.omitted_bytes > 0]).toEqual([row.omits, row.omits]);
    expect(Number((mark?.[1] ?? "0").replaceAll(",", ""))).toBe(stdout.omitted_bytes);
  });

  test("process-read still has the output when many other processes ended since", async () => {
    const process_id = newId();
    await runner.exec("seq 1 20000", { process_id });
    await Promise.all(Array.from({ length: 20 }, () => runner.exec("echo other")));
    const read = await runner.read(process_id);
    expect([read.stdout.text.slice(0, 4), read.stdout.text.slice(-6)]).toEqual(["1\n2\n", "20000\n"]);
    expect(unwrap(await runner.call("process-list", {})).processes.some((one) => one.process_id === process_id)).toBe(
      true,
    );
  });
});

/** The peak memory of the runner while `run` is under way. */
async function processorMs(run: () => Promise<unknown>): Promise<number> {
  const before = processorTicks();
  await run();
  return (processorTicks() - before) * 10;
}

const processorTicks = (): number => readStat(runner.pid)?.cpuTicks ?? 0;
