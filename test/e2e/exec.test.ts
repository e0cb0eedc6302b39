// exec and process the whole way: a real client of each era, HTTP, the Worker, the Durable Object, a machine.

import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { connect, eras, type McpClient } from "./support/clients.ts";

const { url, key, otherKey } = inject("server");

describe.each(eras)("a client of %s", (era) => {
  let client: McpClient;
  const sandbox = `exec-${era}`;
  const exec = (input: Record<string, unknown>) => client.call("exec", { sandbox, ...input });

  beforeAll(async () => {
    client = await connect(era, { url, key });
    await exec({ command: "true" });
  });
  afterAll(() => client.close());

  test("sees the tools with their hints and schemas", async () => {
    const tools = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["exec", "process"]));
    for (const tool of tools) {
      expect(tool).toMatchObject({
        title: expect.any(String),
        inputSchema: { type: "object" },
        annotations: {
          readOnlyHint: expect.any(Boolean),
          destructiveHint: expect.any(Boolean),
          idempotentHint: expect.any(Boolean),
          openWorldHint: expect.any(Boolean),
        },
      });
      expect(JSON.stringify(tool)).not.toMatch(/"(\$schema|\$ref|const|exclusiveMinimum|oneOf|propertyNames)"/);
    }
  });

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    [
      "output and exit code",
      { command: "echo out; echo err >&2; exit 3" },
      { exit_code: 3, stdout: "out\n", stderr: "err\n" },
    ],
    ["a command verbatim", { command: "printf '%s' \"a!b\" '$HOME' '`id`' \"\\$x\"" }, { stdout: "a!b$HOME`id`$x" }],
    ["a heredoc", { command: "cat <<'END'\none $two\nEND" }, { stdout: "one $two\n" }],
    ["stdin", { command: "cat", stdin: "given\u00e9" }, { stdout: "given\u00e9" }],
    ["an empty stdin when none is given", { command: "cat; echo done" }, { stdout: "done\n" }],
    ["env", { command: 'echo "$A"', env: { A: "b c" } }, { stdout: "b c\n" }],
    [
      "env with numbers, and null as absent",
      { command: "printenv A; printenv B || echo none", env: { A: 5, B: null } },
      { stdout: "5\nnone\n" },
    ],
    ["env as JSON text", { command: 'echo "$A"', env: '{"A":"x"}' }, { stdout: "x\n" }],
    ["cwd", { command: "pwd", cwd: "/tmp" }, { stdout: "/tmp\n" }],
    ["/workspace without cwd", { command: "pwd", cwd: null }, { stdout: "/workspace\n" }],
    [
      "an unknown command",
      { command: "no-such-thing" },
      { exit_code: 127, stderr: expect.stringContaining("no-such-thing") },
    ],
    ["a signal", { command: "kill -SEGV $$" }, { exit_code: 139, signal: "SIGSEGV" }],
    [
      "a timeout",
      { command: "sleep 60", timeout_ms: "300" },
      { timed_out: true, killed_by: "timeout", signal: "SIGTERM" },
    ],
    ["no controlling terminal", { command: "sh -c ': </dev/tty'" }, { stderr: expect.stringContaining("/dev/tty") }],
    ["root inside", { command: "id -un" }, { stdout: "root\n" }],
  ])("exec gives %s", async (_, input, expected) => {
    const result = await exec(input);
    expect(result.isError).toBe(false);
    expect(result.structured).toMatchObject({ status: "exited", ...expected });
  });

  test("the text says the same as the structure, status first, no JSON", async () => {
    const { text } = await exec({ command: "echo out; echo err >&2; exit 3" });
    expect(text).toMatch(/^Exit code 3 after \d+ ms\.\nstdout:\nout\nstderr:\nerr$/);
  });

  test.each<[string, Record<string, unknown>, RegExp]>([
    ["a missing cwd", { command: "true", cwd: "/no/such/dir" }, /"\/no\/such\/dir" does not exist/],
    [
      "an unknown argument",
      { command: "true", timeout: 5 },
      /Unknown argument "timeout"\. Did you mean "timeout_ms"\?/,
    ],
    ["a missing argument", { cwd: "/tmp" }, /Argument "command" is missing/],
    ["a number that is none", { command: "true", timeout_ms: "soon" }, /Argument "timeout_ms"/],
    ["a bad sandbox name", { command: "true", sandbox: "../other" }, /Argument "sandbox"/],
    ["a command that is an object", { command: { run: "true" } }, /Argument "command"/],
    ["an empty command", { command: "" }, /Argument "command": must not be empty\./],
    [
      "an environment that is no object",
      { command: "true", env: "A=1" },
      /Argument "env": must be an object whose values are strings\./,
    ],
    [
      "a variable that is an object",
      { command: "true", env: { A: { b: 1 } } },
      /Argument "env\.A": must be a string\./,
    ],
  ])("exec refuses %s in words", async (_, input, message) => {
    const result = await exec(input);
    expect([result.isError, result.structured]).toEqual([true, undefined]);
    expect(result.text).toMatch(message);
  });

  test("exec answers running with a handle, and process goes on from there", async () => {
    const command = "echo one; until [ -e proceed ]; do sleep 0.1; done; echo two; exit 5";
    const first = await exec({ command, wait_ms: 2_000 });
    expect(first.structured).toMatchObject({ status: "running", stdout: "one\n" });
    const id = first.structured?.["process_id"];
    expect(first.text).toContain(`process {action: "read", process_id: "${id}", until: "exit"}`);
    await exec({ command: "touch proceed" });
    const last = await client.call("process", { sandbox, action: "read", process_id: id, until: "exit" });
    expect(last.structured).toMatchObject({ status: "exited", exit_code: 5, stdout: "one\ntwo\n" });
  });

  test("a process_id makes exec repeatable", async () => {
    const input = { command: "echo run >> /tmp/runs; wc -l < /tmp/runs", process_id: "once" };
    expect((await exec(input)).structured).toMatchObject({ stdout: "1\n" });
    expect((await exec(input)).structured).toMatchObject({ stdout: "1\n", attached: true });
    const other = await exec({ ...input, command: "true" });
    expect([other.isError, other.text]).toEqual([
      true,
      expect.stringContaining('"once" already belongs to another command'),
    ]);
  });

  test("process read says in both forms that more is waiting", async () => {
    const { structured } = await exec({ command: "seq 1 20000", process_id: "seq" });
    expect(structured).toMatchObject({ truncated: true, stdout_lines: 20_000 });
    const first = await client.call("process", { sandbox, action: "read", process_id: "seq", stdout_offset: 0 });
    expect(first.text).toMatch(/; [\d,]+ more bytes are available\)$/);
    expect(first.structured).toMatchObject({ truncated: true, status: "exited" });
    let all = "";
    let next: unknown = 0;
    do {
      const part = await client.call("process", { sandbox, action: "read", process_id: "seq", stdout_offset: next });
      all += part.structured?.["stdout"];
      next = part.structured?.["next_stdout"];
    } while (Number(next) < 108_894);
    expect(all).toBe(Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join(""));
  });

  test("an interactive program can be driven", async () => {
    const { structured } = await exec({ command: "python3 -qi", background: true, pty: true });
    const id = structured?.["process_id"];
    const at = { sandbox, process_id: id };
    await client.call("process", { ...at, action: "write", data: "print(6*7)\n" });
    await expect
      .poll(async () => (await client.call("process", { ...at, action: "read" })).structured?.["stdout"])
      .toContain("42");
    await client.call("process", { ...at, action: "write", eof: true });
    const end = await client.call("process", { ...at, action: "read", until: "exit" });
    expect(end.structured).toMatchObject({ status: "exited" });
  });

  test("process signals everything a command started", async () => {
    const { structured } = await exec({ command: "sleep 1000 & setsid sleep 1000 & wait", background: true });
    const id = structured?.["process_id"];
    const signal = await client.call("process", { sandbox, action: "signal", process_id: id, signal: "SIGKILL" });
    expect(signal.structured?.["signalled"]).toBe(3);
    const end = await client.call("process", { sandbox, action: "read", process_id: id, until: "exit" });
    expect(end.structured).toMatchObject({ status: "exited", signal: "SIGKILL", killed_by: "process_signal" });
    expect((await exec({ command: "pgrep -c sleep" })).structured).toMatchObject({ stdout: "0\n" });
  });

  test("progress carries the newest line", async () => {
    const seen: (string | undefined)[] = [];
    const result = await client.call(
      "exec",
      { sandbox, command: "for i in 1 2 3 4 5 6; do echo line $i; sleep 0.4; done" },
      { onprogress: ({ message }) => seen.push(message) },
    );
    expect(result.structured).toMatchObject({ exit_code: 0, stdout_lines: 6 });
    expect([result.structured?.["attached"], result.text]).toEqual([
      undefined,
      expect.not.stringContaining("Attached"),
    ]);
    expect(seen.length).toBeGreaterThanOrEqual(3);
    expect(seen.length).toBeLessThanOrEqual(12);
    expect(seen).toEqual(expect.arrayContaining([expect.stringMatching(/^line [1-6]$/)]));
  });
});

test("another principal has sandboxes of its own under the same name", async () => {
  const [mine, theirs] = await Promise.all([connect("2026", { url, key }), connect("2026", { url, key: otherKey })]);
  await mine.call("exec", { sandbox: "same", command: "echo secret > /workspace/mine" });
  const seen = await theirs.call("exec", { sandbox: "same", command: "ls /workspace" });
  await Promise.all([mine.close(), theirs.close()]);
  expect(seen.structured).toMatchObject({ exit_code: 0, stdout: "" });
});
