// run_js on a real machine, over both revisions of MCP.

import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { connect, eras, type McpClient } from "./support/clients.ts";

/** Thirty modules, one of which is wrong, and a test that shows it. */
const prepare = `
  const names = Array.from({ length: 30 }, (_, n) => "task/src/unit" + n + ".mjs");
  await Promise.all(names.map((name, n) =>
    sandbox.writeFile({ path: name, content: "export const factor = " + n + ";\\nexport const scale = (x) => x " + (n === 17 ? "+" : "*") + " factor;\\n" })));
  await sandbox.writeFile({ path: "task/test.mjs", content: [
    "let failed = 0;",
    "for (let n = 0; n < 30; n++) {",
    "  const { scale } = await import('./src/unit' + n + '.mjs');",
    "  if (scale(5) !== 5 * n) { console.error('unit' + n + ': 5 x ' + n + ' is not ' + scale(5)); failed++; }",
    "}",
    "console.log(failed === 0 ? 'all 30 pass' : failed + ' failed');",
    "process.exit(failed === 0 ? 0 : 1);",
  ].join("\\n") });
  (await sandbox.listFiles("task/src")).length`;

const task = `
  const before = await sandbox.exec({ command: "node test.mjs", cwd: "/workspace/task" });
  const files = await sandbox.listFiles({ path: "task/src" });
  const texts = await Promise.all(files.map(async ({ path }) => ({ path, text: await sandbox.readFile({ path }) })));
  const odd = texts.filter(({ text }) => !text.includes("x * factor"));
  for (const { path } of odd) {
    await sandbox.editFile({ path, old_string: "x + factor", new_string: "x * factor" });
  }
  const after = await sandbox.exec({ command: "node test.mjs", cwd: "/workspace/task" });
  const hits = await sandbox.search({ pattern: "x \\\\* factor", path: "task/src" });
  [
    "before: exit " + before.exit_code + ", " + before.stderr.trim(),
    "fixed: " + odd.map(({ path }) => path).join() + " of " + files.length + " files, " + hits.length + " hits",
    "after: exit " + after.exit_code + ", " + after.stdout.trim(),
  ].join("\\n")`;

describe.each(eras)("over MCP %s", (era) => {
  const sandbox = `run-js-${era}`;
  let client: McpClient;
  beforeAll(async () => {
    client = await connect(era, inject("server"));
  });
  afterAll(() => client.close());

  test("run_js() finds a bug in thirty files, fixes it and runs the tests", async () => {
    expect((await client.call("run_js", { code: prepare, sandbox })).structured?.["value"]).toBe(30);
    const { structured, isError, text } = await client.call("run_js", { code: task, sandbox });
    expect(isError).toBe(false);
    expect(structured?.["error"]).toBeUndefined();
    expect(structured?.["value"]).toBe(
      [
        "before: exit 1, unit17: 5 x 17 is not 22",
        "fixed: task/src/unit17.mjs of 30 files, 30 hits",
        "after: exit 0, all 30 pass",
      ].join("\n"),
    );
    expect(text.startsWith("before: exit 1")).toBe(true);
    const calls = structured?.["calls"];
    const counted = Array.isArray(calls) ? calls.map((call) => [call.name, call.count, call.failed]) : [];
    expect(counted).toEqual([
      ["sandbox.exec", 2, 0],
      ["sandbox.listFiles", 1, 0],
      ["sandbox.readFile", 30, 0],
      ["sandbox.editFile", 1, 0],
      ["sandbox.search", 1, 0],
    ]);
  });

  test("run_js() ends the command that it waits for at the deadline", async () => {
    await client.call("exec", { command: "true", sandbox });
    const { structured } = await client.call("run_js", {
      code: 'console.log("started"); await sandbox.exec("sleep 4321")',
      timeout_ms: 1_500,
      sandbox,
    });
    expect(structured).toMatchObject({ error: { name: "Timeout" }, logs: "started" });
    await expect
      .poll(
        async () =>
          (await client.call("exec", { command: "pgrep -c -f '[s]leep 4321' || true", sandbox })).structured?.[
            "stdout"
          ],
      )
      .toBe("0\n");
  });

  test("state is kept in the Durable Object of the sandbox", async () => {
    await client.call("run_js", { code: 'await state.set("n", { at: 1 })', sandbox });
    expect((await client.call("run_js", { code: 'state.get("n")', sandbox })).structured?.["value"]).toEqual({ at: 1 });
  });

  test("the bytes of a file in the machine are returned unchanged", async () => {
    const code = `await sandbox.exec("head -c 100000 /dev/urandom > random.bin && sha256sum random.bin");
      const bytes = await sandbox.readFile({ path: "random.bin", bytes: true });
      await sandbox.writeFile({ path: "copy.bin", content: bytes });
      const { stdout } = await sandbox.exec("cmp random.bin copy.bin && echo same");
      [bytes.length, stdout]`;
    expect((await client.call("run_js", { code, sandbox })).structured?.["value"]).toEqual([100_000, "same\n"]);
  });
});

test("run_js is not listed for a caller with only the scope read", async () => {
  const { url, readKey } = inject("server");
  const client = await connect("2026", { url, key: readKey });
  expect((await client.listTools()).map(({ name }) => name)).not.toContain("run_js");
  await client.close();
});
