// How runs end: at the deadline, cancelled, in the queue, over a limit or by the platform; and that nothing of them remains.

import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readStat } from "../../container/proc/process-stat.ts";
import { limits } from "../../src/contract/limits.ts";
import { formatNumber } from "../../src/format/format-count.ts";
import { type Fixture, startFixture } from "./fixture/start.ts";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

const timed = async <Value>(work: () => Promise<Value>): Promise<{ value: Value; ms: number }> => {
  const startedAt = performance.now();
  const value = await work();
  return { value, ms: performance.now() - startedAt };
};

const callsOf = async (principal: string): Promise<string[]> =>
  (await fetch(`${fixture.url}/calls?principal=${principal}`)).json() as Promise<string[]>;

const forever = "await new Promise((resolve) => setTimeout(resolve, 60_000))";

describe("the timer", () => {
  const endless: [title: string, code: string][] = [
    ["waits forever", `console.log("before"); ${forever}`],
    ["calls providers in an endless loop", 'console.log("before"); for (;;) { try { await state.get("k") } catch {} }'],
    [
      "makes many provider calls at once in an endless loop",
      'console.log("before"); for (;;) await Promise.allSettled(Array.from({ length: 40 }, () => help()))',
    ],
    [
      "logs in an endless loop",
      'console.log("before"); for (;;) { console.log("x"); await new Promise((resolve) => setTimeout(resolve)) }',
    ],
    [
      "replaces the timers and the clock",
      `console.log("before"); globalThis.setTimeout = globalThis.clearTimeout = () => {}; Date.now = () => 0; await new Promise(() => setInterval(() => {}, 10))`,
    ],
    ["catches everything", `console.log("before"); for (;;) { try { ${forever} } catch {} finally { ${forever} } }`],
    [
      "returns a promise that never settles",
      `console.log("before"); [new Promise((resolve) => setTimeout(resolve, 60_000))]`,
    ],
  ];
  test.each(endless)("run_js() ends code that %s, and returns its logs", async (_title, code) => {
    const { value: answer, ms } = await timed(() => fixture.run({ code, timeout_ms: 1_000 }));
    expect(answer.error).toEqual({
      name: "Timeout",
      message: "The code was ended after 1 s. Do less in one run, or raise timeout_ms",
    });
    expect(answer.logs.split("\n")[0]).toBe("before");
    expect(ms).toBeGreaterThan(990);
    // Without the timer it would take a minute.
    expect(ms).toBeLessThan(45_000);
  });

  test("nothing of a run continues after its end", async () => {
    const principal = "restless";
    const code = `setInterval(() => sandbox.exec("echo tick").catch(() => {}), 10); ${forever}`;
    await fixture.run({ code, timeout_ms: 1_000 }, { principal });
    const atEnd = (await callsOf(principal)).length;
    expect(atEnd).toBeGreaterThan(2);
    // Further runs give the ended one time to make calls.
    for (let run = 0; run < 5; run++)
      await fixture.run({ code: "await new Promise((resolve) => setTimeout(resolve, 30))" });
    expect((await callsOf(principal)).length).toBe(atEnd);
  });

  test("timers that are still set do not keep a run alive", async () => {
    const principal = "leaver";
    const code = 'setInterval(() => sandbox.exec("echo tick").catch(() => {}), 10); "done"';
    expect((await fixture.run({ code }, { principal })).value).toBe("done");
    const atEnd = (await callsOf(principal)).length;
    for (let run = 0; run < 5; run++)
      await fixture.run({ code: "await new Promise((resolve) => setTimeout(resolve, 30))" });
    expect((await callsOf(principal)).length).toBe(atEnd);
  });
});

describe("the platform", () => {
  const ended: [title: string, code: string, name: string][] = [
    [
      "waits for a promise that nothing resolves",
      'console.log("before"); await state.get("k"); await new Promise(() => {})',
      "Hung",
    ],
    ["exits", 'console.log("before"); await state.get("k"); process.exit(1)', "Exit"],
  ];
  test.each(ended)("run_js() reports code that %s", async (_title, code, name) => {
    const { error, logs } = await fixture.run({ code });
    expect([error?.name, logs]).toEqual([name, "before"]);
  });
});

describe("cancelling", () => {
  const call = (id: number, code: string, signal: AbortSignal) =>
    fetch(`${fixture.url}/mcp?principal=canceller`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: { name: "run_js", arguments: { code } },
      }),
      signal,
    }).then((response) => response.text());

  test("a client that disconnects ends the run and the command that it waits for", async () => {
    const client = new AbortController();
    const answer = call(1, 'await sandbox.exec("sleep 61"); await sandbox.exec("echo after")', client.signal).catch(
      () => "gone",
    );
    await expect.poll(() => callsOf("canceller")).toEqual(["exec sleep 61"]);
    client.abort();
    expect(await answer).toBe("gone");
    await expect.poll(() => callsOf("canceller")).toEqual(["exec sleep 61", "process-signal cancel"]);
  });

  test("an MCP result has the value as data and as text", async () => {
    const text = await call(2, "({ a: 1 })", AbortSignal.timeout(10_000));
    const message: unknown = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
    expect(message).toMatchObject({
      id: 2,
      result: {
        content: [{ type: "text", text: '{"a":1}' }],
        structuredContent: { value: { a: 1 }, logs: "", calls: [] },
      },
    });
  });
});

test("a client that asks for progress is sent the calls and logs of the code", async () => {
  const response = await fetch(`${fixture.url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 3,
      method: "tools/call",
      params: {
        name: "run_js",
        arguments: {
          code: `console.log("half way"); await new Promise((resolve) => setTimeout(resolve, 400)); await state.get("k"); 1`,
        },
        _meta: { progressToken: "p" },
      },
    }),
  });
  const messages = [...(await response.text()).matchAll(/"message":"([^"]*)"/g)].map(([, message]) => message);
  expect(messages).toEqual(["half way", "state.get"]);
});

describe("the queue", () => {
  test("more runs than may be active wait for a slot, and all are answered", async () => {
    const code = `await new Promise((resolve) => setTimeout(resolve, 100)); input.n`;
    const runs = Array.from({ length: 14 }, (_, n) => fixture.run({ code, input: { n } }));
    expect((await Promise.all(runs)).map(({ value }) => value)).toEqual(Array.from({ length: 14 }, (_, n) => n));
  });

  test("a run that waited long reports it, and so does one that never started", async () => {
    const code = `await sandbox.exec("echo active"); ${forever}`;
    const blockers = Array.from({ length: limits.isolatesAtOnce }, () =>
      fixture.run({ code, timeout_ms: 5_000 }, { principal: "blocker" }),
    );
    await expect.poll(() => callsOf("blocker")).toHaveLength(limits.isolatesAtOnce);
    expect((await fixture.run({ code: "'another principal'" })).notice).toBeUndefined();
    await fixture.run({ code: "1", timeout_ms: 100 }, { principal: "blocker" }).then(({ error }) => {
      expect(error?.name).toBe("Timeout");
      expect(error?.message).toMatch(/^The code was not started: 4 other runs were active for all of the 100 ms/);
    });
    const waited = await fixture.run({ code: "'at last'" }, { principal: "blocker" });
    expect(waited.value).toBe("at last");
    expect(waited.notice).toMatch(/^The code waited \d(\.\d)? s in a queue because 4 other runs were active\.$/);
    await Promise.all(blockers);
  });
});

describe("limits", () => {
  test("the calls of one run are limited", async () => {
    const code = `let made = 0;
      try { for (;;) { await help(); made++ } } catch (error) { [made, error.reason, error.message] }`;
    expect((await fixture.run({ code })).value).toEqual([
      limits.runCallsMax,
      "quota_exceeded",
      `There may be at most ${limits.runCallsMax} provider calls in one run. Do more in each call, for example with sandbox.exec`,
    ]);
  });

  test("the arguments of one call and of a run are limited", async () => {
    const over = `await state.set("k", "x".repeat(${limits.runCallMaxBytes}))`;
    expect((await fixture.run({ code: over })).error?.reason).toBe("too_large");
    const many = `const text = "x".repeat(${limits.runCallMaxBytes - 1_000});
      let made = 0;
      try { for (;;) { await sandbox.writeFile("big", text); made++ } } catch (error) { [made, error.reason, error.subject] }`;
    const whole = Math.floor(limits.runMaxBytes / limits.runCallMaxBytes);
    expect((await fixture.run({ code: many })).value).toEqual([
      whole,
      "too_large",
      "All that this run sent and received",
    ]);
  });

  const shared: [title: string, make: string, outcome: unknown][] = [
    ["sixty objects that share", "let v = { a: 1 }; for (let i = 0; i < 60; i++) v = { x: v, y: v }", "too_large"],
    ["sixty lists that share", "let v = [1]; for (let i = 0; i < 60; i++) v = [v, v]", "too_large"],
    ["a text a hundred times", 'let v = "x".repeat(1e5); v = Array(100).fill(v)', "too_large"],
    ["a cycle", "let v = {}; v.v = v", "invalid_request"],
    ["a cycle in two ways", "let v = {}; v.a = v; v.b = v", "invalid_request"],
    ["a list of a million", "let v = Array(1e6).fill(0)", "too_large"],
  ];
  test.each(shared)(
    "arguments that grow when shared parts are expanded are limited: %s",
    async (_title, make, outcome) => {
      const code = `${make}
      const reasons = [];
      for (const call of [() => sandbox.stat(v), () => state.set("k", v), () => help(v)]) {
        try { await call(); reasons.push("answered") } catch (error) { reasons.push(error.reason) }
      }
      reasons`;
      const value = await fixture.run({ code, timeout_ms: 10_000 });
      expect(value.value, value.text).toEqual([outcome, outcome, outcome]);
    },
  );

  test("arguments that are too large for the platform are refused", async () => {
    const { error } = await fixture.run({ code: 'await state.set("k", "x".repeat(40e6))' });
    expect([error?.name, error?.reason]).toEqual(["SandboxError", "invalid_request"]);
  });

  test("the length and the nesting of code are limited", async () => {
    const { isError, text } = await fixture.run({ code: `"${"x".repeat(limits.codeMaxChars)}"` });
    expect([isError, text.slice(0, 11)]).toEqual([true, "The code is"]);
    const deep = "[".repeat(50_000) + "]".repeat(50_000);
    const { error } = await fixture.run({ code: deep });
    expect(error?.name).toBe("SyntaxError");
    expect(error?.message).toMatch(/nested too deeply|stack space/);
  });

  test("a value that is too large is cut but keeps its structure, and only in the answer", async () => {
    const code = `const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, name: "row " + id }));
      console.log(rows.length, JSON.stringify(rows).length);
      rows`;
    const { value, value_text = "", notice, logs, text } = await fixture.run({ code });
    expect(value).toBeUndefined();
    expect(logs).toBe("20000 617781");
    expect(value_text.startsWith('[\n  { id: 0, name: "row 0" },\n')).toBe(true);
    expect(value_text).toMatch(/\n {2}\[… [\d,]+ items omitted\]\n\]$/);
    expect(notice).toMatch(/^The value was shortened to fit\. Return less/);
    expect(text.length).toBeLessThan(limits.resultMaxChars);
    expect(text.length).toBeGreaterThan(limits.resultMaxChars * 0.6);
  });

  test("a string of 200 MB is cut", async () => {
    const { value_text = "", notice } = await fixture.run({ code: '"ab".repeat(100e6)' });
    expect(value_text.startsWith("abab")).toBe(true);
    expect(value_text).toMatch(/\[… 199,9\d\d,\d{3} characters omitted\]/);
    expect(notice).toMatch(/^The value was shortened/);
  });

  test("a long string keeps its end", async () => {
    const { value_text = "" } = await fixture.run({ code: '"a".repeat(100_000) + "the end"' });
    expect([value_text.startsWith("aaaa"), value_text.endsWith("the end")]).toEqual([true, true]);
  });

  const vast: [title: string, code: string][] = [
    ["a list of a million", "Array.from({ length: 1e6 }, (_, n) => n)"],
    ["a sparse list of a billion", "const a = []; a[1e9] = 1; a"],
    ["nested ten thousand deep", "let a = []; for (let i = 0; i < 10_000; i++) a = [a]; a"],
    [
      "an object that grows as it is read",
      "const grow = () => new Proxy({}, { ownKeys: () => ['a', 'b'], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }), get: (_, key) => key === 'toJSON' ? undefined : grow() }); grow()",
    ],
    ["a thousand shared references", "let a = { x: 1 }; for (let i = 0; i < 1000; i++) a = { l: a, r: a }; a"],
    ["bytes, ten million", "new Uint8Array(1e7)"],
    ["a million empty objects", "Array.from({ length: 1e6 }, () => ({}))"],
    ["a million empty lists in a Set", "new Set(Array.from({ length: 1e6 }, () => []))"],
    [
      "a list that says it has no end",
      "new Proxy([], { get: (t, key) => (key === 'length' ? Infinity : 1), getOwnPropertyDescriptor: () => ({ value: 1, configurable: true, enumerable: true }) })",
    ],
    ["a Map of a million", "new Map(Array.from({ length: 1e6 }, (_, n) => [n, n]))"],
    ["a key of a megabyte", "({ ['k'.repeat(1e6)]: 1 })"],
    ["an error message of ten megabytes", "throw new Error('m'.repeat(1e7))"],
    ["a BigInt of 100,000 digits", "10n ** 100_000n"],
  ];
  const escaped: [title: string, code: string][] = [
    ["line breaks", "'\\n'.repeat(33_000)"],
    ["quotes", "'\"'.repeat(39_000)"],
    ["control characters", "'\\u0001'.repeat(39_000)"],
    ["quotes in a list", "Array.from({ length: 9_000 }, () => '\"\\\\')"],
    ["quotes in what is not JSON", "new Map(Array.from({ length: 3_000 }, (_, n) => [n, '\"'.repeat(10)]))"],
    [
      "control characters in logs",
      "for (let i = 0; i < 20; i++) console.log('\\u0001'.repeat(2_000)); '\"'.repeat(39_000)",
    ],
    [
      "control characters in an error",
      "for (let i = 0; i < 20; i++) console.log('\\n'.repeat(2_000)); const e = new Error('\\u0001'.repeat(1e5)); e.name = e.reason = e.more = e.message; throw e",
    ],
  ];
  test.each(escaped)("%s are counted in their escaped form", async (_title, code) => {
    const { text, isError: _isError, ...structured } = await fixture.run({ code });
    expect(text.length).toBeLessThanOrEqual(limits.resultMaxChars);
    expect(JSON.stringify(structured).length).toBeLessThanOrEqual(limits.resultMaxChars);
    expect(JSON.stringify(structured).length).toBeGreaterThan(limits.resultMaxChars * 0.3);
  });

  test("a value that just fits beside the rest of the answer is complete", async () => {
    expect((await fixture.run({ code: "'x'.repeat(39_500)" })).value).toBe("x".repeat(39_500));
  });

  test.each(vast)("%s is answered within the limits", async (_title, code) => {
    const { text, error, value_text, value } = await fixture.run({ code });
    expect(text.length).toBeLessThan(limits.resultMaxChars);
    expect(error !== undefined || value !== undefined || (value_text ?? "").length > 0).toBe(true);
    expect(["IsolateError", "Timeout"]).not.toContain(error?.name);
  });

  test("logs keep their first and last lines and count the others", async () => {
    const { logs, value } = await fixture.run({ code: 'for (let i = 0; i < 5_000; i++) console.log("line", i); "ok"' });
    expect(value).toBe("ok");
    expect(logs.length).toBeLessThan(limits.answerLogChars + 100);
    const lines = logs.split("\n");
    expect([lines[0], lines.at(-1)]).toEqual(["line 0", "line 4999"]);
    const gap = lines.findIndex((line) => line.startsWith("[…"));
    expect(lines[gap]).toBe(`[… ${formatNumber(5_000 - (lines.length - 1))} log entries omitted]`);
  });

  test("log entries that do not leave the isolate are counted", async () => {
    const { logs } = await fixture.run({ code: 'for (let i = 0; i < 100; i++) console.log("x".repeat(15_000)); 1' });
    expect(logs).toMatch(/\[… \d+ log entries omitted\]/);
    const [shown, out] = [
      logs.split("\n").filter((line) => line.startsWith("x")).length,
      Number(/… (\d+) log/.exec(logs)?.[1]),
    ];
    expect(shown + out).toBe(100);
  });
});

test("a hundred runs in a row leave nothing behind", async () => {
  const code = `globalThis.left = (globalThis.left ?? 0) + 1;
    Array.prototype.mine = 1;
    setInterval(() => {}, 1_000);
    const text = "x".repeat(1e6); await state.get("k"); console.log(text.length); [globalThis.left, [].mine]`;
  const warm = async (runs: number) => {
    for (let run = 0; run < runs; run++) {
      const { value } = await fixture.run({ code });
      expect(value).toEqual([1, 1]);
    }
  };
  await warm(30);
  const before = residentBytes();
  await warm(100);
  const grown = residentBytes() - before;
  // An isolate that stayed would hold several megabytes.
  expect(grown).toBeLessThan(150 * 1024 ** 2);
});

/** Of all workerd processes that this test started. */
function residentBytes(): number {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => (isOurs(Number(pid)) ? rss(pid) : 0)).reduce((sum, size) => sum + size, 0);
}

const isOurs = (pid: number): boolean => readStat(pid)?.parent === process.pid && readStat(pid)?.name === "workerd";

const rss = (pid: string): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
