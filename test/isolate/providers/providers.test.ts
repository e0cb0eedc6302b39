// What code in an isolate may call: the operations of the sandbox, state, a provider with a secret; and who may call what.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { limits } from "../../../src/contract/limits.ts";
import { type Fixture, startFixture } from "../fixture/start.ts";

const token = "token-of-the-deployment";

let fixture: Fixture;
let github: Server;
const asked: { url: string; authorization: string | undefined }[] = [];

beforeAll(async () => {
  github = createServer((request, response) => {
    asked.push({ url: request.url ?? "", authorization: request.headers.authorization });
    const { status, body } = githubAnswer(request.url ?? "");
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => github.listen(0, "127.0.0.1", resolve));
  const { port } = github.address() as AddressInfo;
  fixture = await startFixture({
    GITHUB_REPOSITORY: "acme/rocket",
    GITHUB_TOKEN: token,
    GITHUB_API_URL: `http://127.0.0.1:${port}`,
  });
});
afterAll(async () => {
  await fixture.stop();
  github.close();
});

describe("sandbox", () => {
  test("exec() returns all output of a command, and a non-zero exit is a result", async () => {
    const code = `const a = await sandbox.exec({ command: "echo hi there" });
      const b = await sandbox.exec("exit 3");
      [a.stdout, a.exit_code, a.status, b.exit_code]`;
    const { value, calls } = await fixture.run({ code });
    expect(value).toEqual(["hi there\n", 0, "exited", 3]);
    expect(calls).toEqual([{ name: "sandbox.exec", count: 2, failed: 0, ms: expect.any(Number) }]);
  });

  test("files come back as they were written, text as text and bytes as bytes", async () => {
    const code = `const bytes = new Uint8Array(256).map((_, index) => index);
      await sandbox.writeFile({ path: "bytes.bin", content: bytes });
      await sandbox.writeFile("text.txt", "grüße $& \\u{1F600}");
      const back = await sandbox.readFile({ path: "bytes.bin", bytes: true });
      [back instanceof Uint8Array, back.length, back.every((byte, index) => byte === index), await sandbox.readFile("text.txt")]`;
    expect((await fixture.run({ code })).value).toEqual([true, 256, true, "grüße $& \u{1F600}"]);
  });

  test("readFile() and writeFile() keep a byte order mark, and UTF-16 is read where it is asked for", async () => {
    const code = `const bom = new Uint8Array([0xef, 0xbb, 0xbf, 0x61]);
      await sandbox.writeFile("bom.txt", bom);
      await sandbox.writeFile("bom.txt", await sandbox.readFile("bom.txt"));
      const kept = [...await sandbox.readFile({ path: "bom.txt", bytes: true })];
      await sandbox.writeFile("wide.txt", new Uint8Array([0xff, 0xfe, 0x61, 0, 0x62, 0]));
      let refused;
      try { await sandbox.readFile("wide.txt") } catch (error) { refused = error.reason }
      [kept, refused, await sandbox.readFile({ path: "wide.txt", encoding: "utf-16" })]`;
    expect((await fixture.run({ code })).value).toEqual([[0xef, 0xbb, 0xbf, 0x61], "refused", "\ufeffab"]);
  });

  test("editFile() changes the text that is there", async () => {
    const code = `await sandbox.writeFile({ path: "edit.txt", content: "one two" });
      const { changes } = await sandbox.editFile({ path: "edit.txt", old_string: "two", new_string: "three" });
      [changes, await sandbox.readFile({ path: "edit.txt" })]`;
    expect((await fixture.run({ code })).value).toEqual([1, "one three"]);
  });

  test("listFiles() answers paths that readFile() takes", async () => {
    const code = `await sandbox.writeFile("b.txt", "B"); await sandbox.writeFile("a.txt", "A");
      const files = await sandbox.listFiles();
      Promise.all(files.map(async ({ path, size }) => [path, size, await sandbox.readFile(path)]))`;
    expect((await fixture.run({ code }, { principal: "lister" })).value).toEqual([
      ["a.txt", 1, "A"],
      ["b.txt", 1, "B"],
    ]);
  });

  test("thirty files can be read at once", async () => {
    const code = `const names = Array.from({ length: 30 }, (_, index) => "f" + index);
      await Promise.all(names.map((name) => sandbox.writeFile(name, name)));
      (await Promise.all(names.map((name) => sandbox.readFile(name)))).join() === names.join()`;
    const { value, calls } = await fixture.run({ code });
    expect(value).toBe(true);
    expect(calls.map(({ name, count, failed }) => [name, count, failed])).toEqual([
      ["sandbox.writeFile", 30, 0],
      ["sandbox.readFile", 30, 0],
    ]);
  });

  test("a failure is a SandboxError that code can catch", async () => {
    const code = `try { await sandbox.readFile("missing.txt") } catch (error) {
        [error instanceof SandboxError, error instanceof Error, error.name, error.reason, error.path, error.message]
      }`;
    const { value, calls } = await fixture.run({ code });
    expect(value).toEqual([
      true,
      true,
      "SandboxError",
      "no_such_path",
      "missing.txt",
      '"missing.txt" does not exist. The nearest directory above it is "/workspace"; look there with file list.',
    ]);
    expect(calls).toEqual([{ name: "sandbox.readFile", count: 1, failed: 1, ms: expect.any(Number) }]);
  });

  test("an uncaught failure is reported with its reason and the line of the call", async () => {
    const { error } = await fixture.run({
      code: 'const path = "missing.txt";\nconst text = await sandbox.readFile(path);\ntext',
    });
    expect(error).toEqual({
      name: "SandboxError",
      reason: "no_such_path",
      message:
        '"missing.txt" does not exist. The nearest directory above it is "/workspace"; look there with file list.',
      line: 2,
      column: 28,
      excerpt: "2 | const text = await sandbox.readFile(path);\n                               ^",
      details: 'path: "missing.txt"\nabove: "/workspace"\nsimilar: []',
    });
  });

  const badCalls: [code: string, message: string][] = [
    [
      "sandbox.exec({ comand: 'ls' })",
      'sandbox.exec needs "command". Call it as sandbox.exec(options: { command: string;',
    ],
    [
      "sandbox.exec({ command: 5 })",
      'sandbox.exec: "command": Invalid input: expected string, received number. Call it as',
    ],
    ["sandbox.exec({ command: 'ls', shell: 'zsh' })", 'sandbox.exec: Unrecognized key: "shell". Call it as'],
    ["sandbox.exec({ constructor: null, command: 'ls' })", 'sandbox.exec: Unrecognized key: "constructor". Call it as'],
    ["sandbox.exec({ toString: 1, command: 'ls' })", 'sandbox.exec: Unrecognized key: "toString". Call it as'],
    ["sandbox.exec('ls', 'src')", "sandbox.exec takes one object. Call it as"],
    [
      "sandbox.writeFile({ path: 'x', content: { a: 1 } })",
      'sandbox.writeFile: "content": must be a string or a Uint8Array. Call it as',
    ],
    [
      "sandbox.exec({ command: () => 'ls' })",
      "The arguments of sandbox.exec must be plain data: JSON values and Uint8Array",
    ],
    ["sandbox.exec({ command: Symbol('ls') })", "sandbox.exec: "],
  ];
  test.each(badCalls)("%s is refused with its signature", async (code, message) => {
    const { error } = await fixture.run({ code: `await ${code}` });
    expect({ name: error?.name, reason: error?.reason, message: error?.message.slice(0, message.length) }).toEqual({
      name: "SandboxError",
      reason: "invalid_request",
      message,
    });
  });

  test("a failed call that is awaited late can be caught", async () => {
    const code = `const call = sandbox.readFile("missing.txt");
      await new Promise((resolve) => setTimeout(resolve, 30));
      try { await call } catch (error) { error.reason }`;
    expect((await fixture.run({ code })).value).toBe("no_such_path");
  });

  test("a command ends with its run, and one in the background does not", async () => {
    const principal = "ender";
    const code = `await sandbox.exec({ command: "sleep 60", background: true });
      await sandbox.exec("echo done");
      await sandbox.exec("sleep 61")`;
    const { error } = await fixture.run({ code, timeout_ms: 1_000 }, { principal });
    expect(error?.name).toBe("Timeout");
    await expect
      .poll(async () => (await fetch(`${fixture.url}/calls?principal=${principal}`)).json())
      .toEqual(["exec sleep 60", "exec echo done", "exec sleep 61", "process-signal cancel"]);
  });

  test("a notice of the sandbox is in the answer of the first run that calls it, once", async () => {
    const principal = "restarter";
    const run = (code: string) => fixture.run({ code, sandbox: "restarted" }, { principal });
    expect((await run("1")).notice).toBeUndefined();
    const calls = 'await Promise.all([sandbox.exec("true"), sandbox.listProcesses(), sandbox.listFiles()]); 1';
    const { notice, text } = await run(calls);
    expect(notice).toBe("The machine was restarted.");
    expect(text.startsWith("Notice: The machine was restarted.\n1\ncalls: ")).toBe(true);
    expect((await run(calls)).notice).toBeUndefined();
  });

  test("a run waits for calls that the code does not await, and reports it", async () => {
    const principal = "hasty";
    const { value, notice } = await fixture.run({ code: 'sandbox.writeFile("late.txt", "x"); 1' }, { principal });
    expect({ value, notice }).toEqual({
      value: 1,
      notice: "1 provider call was not awaited by the code; the run waited for it.",
    });
    expect((await fixture.run({ code: 'sandbox.readFile("late.txt")' }, { principal })).value).toBe("x");
  });
});

describe("state", () => {
  test("values are kept between runs, for each sandbox of each principal", async () => {
    const set =
      'await state.set("k", { list: [1, null] }); await state.set({ key: "other", value: null }); await state.list()';
    expect((await fixture.run({ code: set }, { principal: "ann" })).value).toEqual(["k", "other"]);
    const look = '({ k: (await state.get("k")) ?? "nothing", keys: await state.list({ prefix: "o" }) })';
    expect((await fixture.run({ code: look }, { principal: "ann" })).value).toEqual({
      k: { list: [1, null] },
      keys: ["other"],
    });
    expect((await fixture.run({ code: look }, { principal: "bob" })).value).toEqual({ k: "nothing", keys: [] });
    expect((await fixture.run({ code: look, sandbox: "second" }, { principal: "ann" })).value).toEqual({
      k: "nothing",
      keys: [],
    });
    const drop = '[await state.delete("k"), await state.delete("k"), (await state.get("k")) ?? "nothing"]';
    expect((await fixture.run({ code: drop }, { principal: "ann" })).value).toEqual([true, false, "nothing"]);
  });

  test("a value over the limit is refused", async () => {
    const { error } = await fixture.run({ code: `await state.set("big", "x".repeat(${limits.stateValueMaxChars}))` });
    expect([error?.name, error?.reason]).toEqual(["SandboxError", "too_large"]);
  });

  test("a value that is not JSON is refused", async () => {
    const { error } = await fixture.run({ code: 'await state.set("m", new Map())' });
    expect([error?.name, error?.reason]).toEqual(["SandboxError", "invalid_request"]);
  });
});

describe("grants", () => {
  test("tools restricts a run, and a call outside it fails with what is granted", async () => {
    const code = `const outcome = {};
      try { await sandbox.writeFile("a", "b") } catch (error) { outcome.write = [error.name, error.reason, error.message] }
      outcome.state = typeof state;
      outcome.methods = Object.keys(sandbox);
      outcome`;
    const { value } = await fixture.run({ code, tools: ["sandbox.readFile", "sandbox.search"] });
    expect(value).toEqual({
      write: [
        "SandboxError",
        "not_granted",
        "sandbox.writeFile is not available in this run. Available: sandbox.readFile, sandbox.search",
      ],
      state: "undefined",
      methods: ["readFile", "search"],
    });
  });

  test("tools may be a string, and may name a whole provider", async () => {
    const code = "[Object.keys(state), typeof sandbox]";
    for (const tools of ["state", "state.*", '["state"]']) {
      expect((await fixture.run({ code, tools })).value).toEqual([["get", "set", "delete", "list"], "undefined"]);
    }
  });

  test("a tool that does not exist is refused with those that do", async () => {
    const { isError, text } = await fixture.run({ code: "1", tools: ["sandbox.rm"] });
    expect([isError, text.slice(0, 50)]).toEqual([true, 'There is no "sandbox.rm" to grant. The methods are']);
  });

  test("a long name is shortened in the error", async () => {
    const { text } = await fixture.run({ code: "1", tools: ["x".repeat(50_000)] });
    expect(text.slice(0, 225)).toBe(`There is no "${"x".repeat(200)}…" to grant.`);
    expect(text.length).toBeLessThan(1_500);
  });

  test("the caller's scopes restrict a run before tools does", async () => {
    const scopes = ["sandbox:exec", "sandbox:read"];
    const code = "[Object.keys(sandbox).includes('readFile'), Object.keys(sandbox).includes('writeFile')]";
    expect((await fixture.run({ code }, { scopes })).value).toEqual([true, false]);
    expect((await fixture.run({ code, tools: ["sandbox.writeFile"] }, { scopes })).isError).toBe(true);
  });

  test("using a provider that is not granted fails with what is granted", async () => {
    const { error } = await fixture.run({ code: "await github.listIssues()" });
    expect(error?.message).toMatch(/^github is not defined\. The providers granted to this run are: sandbox\.exec, /);
  });

  test("help() declares only what is granted", async () => {
    const { value } = await fixture.run({ code: 'help("state")', tools: ["state.get", "sandbox.stat"] });
    expect(value).toBe(
      `/** small JSON values kept for this sandbox between runs */
declare const state: {
  /** The value under a key; undefined if there is none */
  get(options: { key: string }): Promise<any>;
};
A call that fails throws a SandboxError with \`reason\` and \`message\`.`,
    );
  });

  test("input is a global, and the argument of a function", async () => {
    const input = { a: [1, { b: null }] };
    expect((await fixture.run({ code: "input", input })).value).toEqual(input);
    expect(
      (
        await fixture.run({
          code: "async ({ input, sandbox, help }) => [input, typeof sandbox.exec, typeof help]",
          input,
        })
      ).value,
    ).toEqual([input, "function", "function"]);
    expect((await fixture.run({ code: "({ input, state }) => [typeof input, typeof state.get]" })).value).toEqual([
      "undefined",
      "function",
    ]);
    expect((await fixture.run({ code: "({ a }) => a", input })).value).toEqual(input.a);
    expect((await fixture.run({ code: "(input) => input.map((n) => n * 2)", input: [1, 2] })).value).toEqual([2, 4]);
    expect(
      (
        await fixture.run({
          code: "({ sandbox, input }) => [typeof sandbox.exec, input.sandbox]",
          input: { sandbox: 1 },
        })
      ).value,
    ).toEqual(["function", 1]);
    expect((await fixture.run({ code: "input.a", input: JSON.stringify(input) })).value).toEqual(input.a);
    expect((await fixture.run({ code: "input", input: "plain text" })).value).toBe("plain text");
    expect((await fixture.run({ code: "typeof input" })).value).toBe("undefined");
  });
});

describe("github", () => {
  const run = (code: string) => fixture.run({ code }, { github: true });

  test("its methods answer from the configured repository, with the token added outside", async () => {
    asked.length = 0;
    const { value } = await run(`const [pull] = await github.listPullRequests();
      const one = await github.getPullRequest(pull.number);
      const issues = await github.listIssues({ labels: "bug" });
      const text = await github.getFile({ path: "src/a b.ts", ref: "main" });
      const hits = await github.searchCode("needle");
      [pull.title, one.head.ref, issues.map(({ number }) => number), text, hits]`);
    const hits = [{ path: "src/x.ts", html_url: "https://github.test/x" }];
    expect(value).toEqual(["First", "topic", [2], "grüße\n", hits]);
    expect(asked).toEqual(
      [
        "/repos/acme/rocket/pulls?state=open&per_page=30",
        "/repos/acme/rocket/pulls/1",
        "/repos/acme/rocket/issues?state=open&per_page=30&labels=bug",
        "/repos/acme/rocket/contents/src/a%20b.ts?ref=main",
        "/search/code?q=needle%20repo%3Aacme%2Frocket&per_page=30",
      ].map((url) => ({ url, authorization: `Bearer ${token}` })),
    );
  });

  test("the token is nowhere in the isolate", async () => {
    const code = `const seen = new Set(); const found = [];
      (function look(value, path) {
        if (typeof value === "string" && value.includes("token-of")) found.push(path);
        if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value)) return;
        seen.add(value);
        for (const key of Reflect.ownKeys(value)) { try { look(value[key], path + "." + String(key)) } catch {} }
      })(globalThis, "globalThis");
      found.push(...(await help("github")).match(/token-of/g) ?? []);
      found`;
    expect((await run(code)).value).toEqual([]);
  });

  test("a path cannot leave the repository, and other responses are failures", async () => {
    asked.length = 0;
    const code = `const reasons = [];
      for (const call of [() => github.getFile("../../user"), () => github.getFile("missing"), () => github.getFile("moved")]) {
        try { await call(); reasons.push("answered") } catch (error) { reasons.push(error.reason) }
      }
      reasons`;
    expect((await run(code)).value).toEqual(["invalid_request", "not_found", "refused"]);
    expect(asked.map(({ url }) => url)).toEqual([
      "/repos/acme/rocket/contents/missing",
      "/repos/acme/rocket/contents/moved",
    ]);
  });

  test("a search cannot leave the repository", async () => {
    asked.length = 0;
    const queries = [
      "a repo:acme/other",
      "org:acme a",
      "a USER:ann",
      "-repo:acme/rocket a",
      "(user: ann)",
      '"x"repo:a/b',
    ];
    const code = `const reasons = [];
      for (const query of input) try { await github.searchCode(query); reasons.push("answered") } catch (error) { reasons.push(error.reason) }
      reasons`;
    const { value } = await fixture.run({ code, input: queries }, { github: true });
    expect([value, asked]).toEqual([queries.map(() => "invalid_request"), []]);
  });
});

function githubAnswer(url: string): { status: number; body: unknown } {
  const { pathname } = new URL(url, "http://github.test");
  const issue = {
    number: 1,
    title: "First",
    state: "open",
    user: { login: "ann" },
    labels: [{ name: "bug" }],
    body: null,
    created_at: "2026-01-01T00:00:00Z",
    updated_at: "2026-01-01T00:00:00Z",
    html_url: "https://github.test/acme/rocket/issues/1",
  };
  const pull = { ...issue, draft: false, merged_at: null, head: { ref: "topic", sha: "abc" }, base: { ref: "main" } };
  switch (pathname) {
    case "/repos/acme/rocket/pulls":
      return { status: 200, body: [pull] };
    case "/repos/acme/rocket/pulls/1":
      return { status: 200, body: pull };
    case "/repos/acme/rocket/issues":
      return {
        status: 200,
        body: [
          { ...issue, pull_request: {} },
          { ...issue, number: 2 },
        ],
      };
    case "/repos/acme/rocket/contents/src/a%20b.ts":
      return {
        status: 200,
        body: { type: "file", encoding: "base64", content: Buffer.from("grüße\n").toString("base64") },
      };
    case "/search/code":
      return {
        status: 200,
        body: {
          items: [
            { path: "secret.ts", html_url: "https://github.test/y", repository: { full_name: "acme/other" } },
            { path: "src/x.ts", html_url: "https://github.test/x", repository: { full_name: "Acme/Rocket" } },
          ],
        },
      };
    case "/repos/acme/rocket/contents/moved":
      return { status: 302, body: {} };
    default:
      return { status: 404, body: { message: "Not Found" } };
  }
}
