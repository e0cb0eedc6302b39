// exec: the answer for one command, case by case.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ExecRequest } from "../../../src/contract/exec.ts";
import { limits } from "../../../src/contract/limits.ts";
import { type RunnerUnderTest, startRunner } from "../runner-under-test.ts";

let runner: RunnerUnderTest;
beforeAll(async () => {
  runner = await startRunner({ env: { NPM_CONFIG_PREFIX: "/usr/local", TZ: "Asia/Tokyo" } });
  mkdirSync(join(runner.workspace, "sub dir"));
  writeFileSync(join(runner.workspace, "plain"), "");
});
afterAll(() => runner.stop());

interface Row {
  when: string;
  command: string;
  options?: Partial<ExecRequest>;
  exit?: number;
  signal?: string;
  stdout?: string;
  stderr?: string;
}

const verbatim = `printf '%s|' "!x" '$HOME' \`echo tick\` "a\\"b" 'c\\d' $((1+1)) {1..3} *.none`;

const rows: Row[] = [
  { when: "it ends well", command: "echo out; echo err >&2", stdout: "out\n", stderr: "err\n" },
  { when: "it fails", command: "echo why >&2; exit 7", exit: 7, stderr: "why\n" },
  { when: "it fails at once", command: "echo last words >&2; exit 1", exit: 1, stderr: "last words\n" },
  { when: "the command is empty", command: "" },
  {
    when: "the program is not known",
    command: "no-such-program-here x",
    exit: 127,
    stderr: "bash: line 1: no-such-program-here: command not found\n",
  },
  {
    when: "the program may not be run",
    command: "./plain",
    exit: 126,
    stderr: "bash: line 1: ./plain: Permission denied\n",
  },
  {
    when: "the syntax is wrong",
    command: "if",
    exit: 2,
    stderr: "bash: -c: line 2: syntax error: unexpected end of file\n",
  },
  { when: "it is killed", command: "kill -KILL $$", exit: 137, signal: "SIGKILL" },
  { when: "it crashes", command: "ulimit -c 0; kill -SEGV $$", exit: 139, signal: "SIGSEGV" },
  { when: "it is terminated", command: "kill -TERM $$", exit: 143, signal: "SIGTERM" },
  { when: "a child of it is killed", command: "exec 2>/dev/null; bash -c 'kill -9 $$'; exit $?", exit: 137 },
  {
    when: "the text has characters that shells love",
    command: verbatim,
    stdout: '!x|$HOME|tick|a"b|c\\d|2|1|2|3|*.none|',
  },
  {
    when: "it is a heredoc",
    command: "cat <<'EOF'\n$x `y` \"z\"\nEOF\ncat <<-E\n\ttabbed\n\tE",
    stdout: '$x `y` "z"\ntabbed\n',
  },
  {
    when: "a heredoc has no end",
    command: "cat <<EOF\nopen",
    stdout: "open\n",
    stderr: "bash: line 2: warning: here-document at line 1 delimited by end-of-file (wanted `EOF')\n",
  },
  { when: "it has comments and blank lines", command: "\n# no\n\necho yes # no\n", stdout: "yes\n" },
  { when: "it starts with a dash", command: "-x", exit: 127, stderr: "bash: line 1: -x: command not found\n" },
  { when: "it reads an empty stdin", command: "cat; read x || echo end", stdout: "end\n" },
  { when: "it reads a given stdin", command: "cat", options: { stdin: "a\nü" }, stdout: "a\nü" },
  { when: "it opens stdin by name", command: "cat /dev/stdin", options: { stdin: "named" }, stdout: "named" },
  {
    when: "it opens stdin by name late",
    command: "sleep 0.2; cat /dev/stdin",
    options: { stdin: "late" },
    stdout: "late",
  },
  { when: "stdin is empty text", command: "wc -c", options: { stdin: "" }, stdout: "0\n" },
  {
    when: "it never reads its stdin",
    command: "exec <&-; echo done",
    options: { stdin: "x".repeat(3_000_000) },
    stdout: "done\n",
  },
  { when: "it reads a long stdin", command: "wc -c", options: { stdin: "é".repeat(2_000_000) }, stdout: "4000000\n" },
  {
    when: "it opens its streams by name",
    command: "echo o >/dev/stdout; echo e | tee /dev/stderr >/dev/null; echo p >/proc/self/fd/2",
    stdout: "o\n",
    stderr: "e\np\n",
  },
  { when: "both streams are one", command: "(echo o; echo e >&2) 2>&1", stdout: "o\ne\n" },
  { when: "cwd is relative", command: 'basename "$PWD"', options: { cwd: "sub dir" }, stdout: "sub dir\n" },
  { when: "cwd is absolute", command: "pwd", options: { cwd: "/usr/bin" }, stdout: "/usr/bin\n" },
  {
    when: "env is given",
    command: 'echo "$A|$B|$PAGER"',
    options: { env: { A: "1 '\"$x", B: "", PAGER: "mine" } },
    stdout: "1 '\"$x||mine\n",
  },
  {
    when: "the environment of the runner has more",
    command: 'echo "$SECRET_OF_THE_RUNNER|$RUNNER_PORT|$NPM_CONFIG_PREFIX|$TZ"',
    stdout: "||/usr/local|Asia/Tokyo\n",
  },
  {
    when: "it asks for a terminal",
    command: "tty; test -t 0 || echo none; (: </dev/tty) 2>&1 | sed 's/.*: //'",
    stdout: "not a tty\nnone\nNo such device or address\n",
  },
  {
    when: "git wants an editor or a password",
    command:
      "git init -q r && cd r && git -c user.name=a -c user.email=b commit --allow-empty; echo $?; git credential fill <<<'url=https://localhost/x' 2>&1 | grep -c 'terminal prompts disabled\\|could not read'",
    stdout: "1\n1\n",
    stderr: "Aborting commit due to empty commit message.\n",
  },
  {
    when: "git wants a pager",
    command: "cd r && git -c user.name=a -c user.email=b commit -q --allow-empty -m one && git log --format=%s",
    stdout: "one\n",
  },
  { when: "only bytes come out", command: "printf 'a\\0b\\001c\\177d'", stdout: "abcd" },
];

describe("exec", () => {
  test.each(rows)(
    "exec() answers the whole result when $when",
    async ({ command, options, exit, signal, stdout, stderr }) => {
      const value = await runner.exec(command, options);
      expect({
        status: value.status,
        exit: value.exit_code,
        signal: value.signal,
        stdout: value.stdout.text,
        stderr: value.stderr.text,
        omitted: value.stdout.omitted_bytes + value.stderr.omitted_bytes,
        timedOut: value.timed_out,
        killedBy: value.killed_by,
        left: value.left_running,
      }).toEqual({
        status: "exited",
        exit: exit ?? 0,
        signal: signal ?? null,
        stdout: stdout ?? "",
        stderr: stderr ?? "",
        omitted: 0,
        timedOut: false,
        killedBy: null,
        left: 0,
      });
    },
  );

  const failures: { when: string; command: string; options: Partial<ExecRequest>; failure: object }[] = [
    {
      when: "cwd is missing",
      command: "touch ran",
      options: { cwd: "gone/away" },
      failure: { reason: "not_found", kind: "cwd", name: "gone/away" },
    },
    {
      when: "cwd is a file",
      command: "touch ran",
      options: { cwd: "plain" },
      failure: { reason: "wrong_kind", path: "plain", expected: "a directory", actual: "a file" },
    },
    { when: "the command has a NUL", command: "echo a\0b", options: {}, failure: { reason: "invalid_request" } },
    {
      when: "env has a NUL",
      command: "touch ran",
      options: { env: { A: "\0" } },
      failure: { reason: "invalid_request" },
    },
    { when: "cwd has a NUL", command: "touch ran", options: { cwd: "a\0" }, failure: { reason: "invalid_request" } },
    {
      when: "a name in env has a =",
      command: "touch ran",
      options: { env: { "A=B": "" } },
      failure: { reason: "invalid_request" },
    },
    {
      when: "a name in env is empty",
      command: "touch ran",
      options: { env: { "": "x" } },
      failure: { reason: "invalid_request" },
    },
    {
      when: "the command is too long",
      command: `# ${"é".repeat(limits.commandMaxBytes / 2)}`,
      options: {},
      failure: { reason: "too_large", limit: limits.commandMaxBytes, actual: limits.commandMaxBytes + 2 },
    },
    {
      when: "a variable is too long",
      command: "touch ran",
      options: { env: { A: "x".repeat(limits.commandMaxBytes) } },
      failure: { reason: "too_large" },
    },
    {
      when: "env is too long",
      command: "touch ran",
      options: { env: Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`V${n}`, "x".repeat(1000)])) },
      failure: { reason: "too_large", limit: limits.envMaxBytes },
    },
  ];
  test.each(failures)("exec() runs nothing and says why when $when", async ({ command, options, failure }) => {
    expect(await runner.execFailure(command, options)).toMatchObject(failure);
    expect((await runner.exec("ls ran 2>/dev/null")).stdout.text).toBe("");
  });

  test("exec() runs a command of the maximum length, also on a terminal, when all limits are reached at once", async () => {
    const command = `: ${"x".repeat(limits.commandMaxBytes - 10)}; echo`.slice(0, limits.commandMaxBytes);
    const filler = Array.from({ length: 7 }, (_, n): [string, string] => [`V${n}`, "x".repeat(36_000)]);
    for (const pty of [null, { columns: 80, rows: 24 }]) {
      const value = await runner.exec(command, { pty, env: Object.fromEntries(filler) });
      expect([value.exit_code, value.stderr.text]).toEqual([0, ""]);
    }
  });

  test("exec() starts the command when it is repeated after a failed start with a cwd that exists by then", async () => {
    const process_id = "late-directory";
    expect(await runner.execFailure("pwd", { process_id, cwd: "later" })).toMatchObject({ reason: "not_found" });
    mkdirSync(join(runner.workspace, "later"));
    expect((await runner.exec("pwd", { process_id, cwd: "later" })).exit_code).toBe(0);
  });

  test("exec() runs other commands when one is stuck", async () => {
    const stuck = runner.exec("until [ -e unstuck ]; do sleep 0.01; done");
    const values = await Promise.all(Array.from({ length: 20 }, (_, n) => runner.exec(`echo ${n}`)));
    expect(values.map((value) => value.stdout.text)).toEqual(Array.from({ length: 20 }, (_, n) => `${n}\n`));
    writeFileSync(join(runner.workspace, "unstuck"), "");
    expect((await stuck).exit_code).toBe(0);
  });
});
