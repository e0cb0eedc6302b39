// run_js beside @cloudflare/codemode's executor, in one workerd and one run: the snippets of the tests for correctness, then the
// time of `1 + 1` and of ten provider calls. `node test/bench/run-js.bench.ts [rounds]`.

import { join } from "node:path";
import { unstable_startWorker } from "wrangler";
import * as z from "zod";
import { type Expected, snippets } from "../isolate/fixture/snippets.ts";

const rounds = Number(process.argv[2] ?? 100);
Object.assign(process.env, {
  WRANGLER_SEND_METRICS: "false",
  X_LOCAL_EXPLORER: "false",
  X_LOCAL_OBSERVABILITY: "false",
});
const worker = await unstable_startWorker({
  config: join(import.meta.dirname, "run-js/wrangler.jsonc"),
  build: { nodejsCompatMode: "v2" },
  dev: { server: { hostname: "127.0.0.1", port: 0 }, inspector: false, watch: false, persist: false, logLevel: "none" },
});
await worker.ready;
const { origin } = await worker.url;

const Ours = z.object({ structuredContent: z.record(z.string(), z.unknown()) });
const Theirs = z.object({
  shown: z.union([z.object({ json: z.string().optional() }), z.object({ fault: z.string() })]),
  error: z.string().optional(),
  logs: z.array(z.string()).optional(),
});
type Theirs = z.infer<typeof Theirs>;

const ask = async (path: string, code: string): Promise<unknown> =>
  (await fetch(`${origin}${path}`, { method: "POST", body: code })).json();

type Verdict = { ours: boolean; theirs: boolean; said: string };
const verdicts = new Map<string, Verdict>();
for (const [title, code, expected] of snippets) {
  const ours = Ours.parse(await ask("/run", code)).structuredContent;
  const theirs = Theirs.parse(await ask("/codemode", code));
  verdicts.set(title, {
    ours: JSON.stringify(comparable(ours)) === JSON.stringify(comparable({ logs: "", ...expected })),
    theirs: conveys(theirs, expected),
    said: theirs.error ?? ("fault" in theirs.shown ? theirs.shown.fault : (theirs.shown.json ?? "nothing")),
  });
}

function comparable({ value, value_text, error, logs }: Record<string, unknown>): unknown {
  return [value, value_text, typeof error === "object" ? Object.entries(error ?? {}).toSorted() : error, logs];
}

/** Generous: words and numbers of what is expected have to be there somewhere; of an error, its message and its line. */
function conveys({ shown, error, logs }: Theirs, expected: Expected): boolean {
  const json = "json" in shown ? shown.json : undefined;
  const logged = (logs ?? []).join("\n");
  if (!wordsOf(expected.logs ?? "").every((word) => logged.includes(word))) return false;
  if (expected.error !== undefined) {
    const { message, line } = expected.error;
    return (
      error !== undefined &&
      (error.includes(message) || message.includes(error)) &&
      new RegExp(`\\b${line}\\b`).test(error)
    );
  }
  if (error !== undefined) return false;
  if (expected.value !== undefined) return json === JSON.stringify(expected.value);
  if (expected.value_text === undefined) return json === undefined;
  return json !== undefined && wordsOf(expected.value_text).every((word) => json.includes(word));
}

function wordsOf(text: string): string[] {
  return text.match(/[A-Za-z0-9_]{2,}|\d/g) ?? [];
}

const count = (pick: (verdict: Verdict) => boolean): number => [...verdicts.values()].filter(pick).length;
console.log(
  `Right of ${verdicts.size}: run_js ${count(({ ours }) => ours)}, codemode ${count(({ theirs }) => theirs)}`,
);
for (const [title, { ours, theirs, said }] of verdicts) {
  if (!ours || !theirs)
    console.log(`  ${ours ? "codemode" : "run_js"} is wrong on ${title}: ${said.split("\n")[0]?.slice(0, 110)}`);
}

const calls =
  'const all = [];\nfor (let i = 0; i < 10; i++) all.push(await probe.echo({ text: "x" }));\nreturn all.length;';
const atOnce =
  'const all = await Promise.all(Array.from({ length: 10 }, () => probe.echo({ text: "x" })));\nreturn all.length;';
const cases: [name: string, path: string, code: string][] = [
  ["run_js    1 + 1", "/run", "1 + 1"],
  ["codemode  1 + 1", "/codemode", "1 + 1"],
  ["run_js    ten calls", "/run", calls],
  ["codemode  ten calls", "/codemode", calls],
  ["run_js    ten calls at once", "/run", atOnce],
  ["codemode  ten calls at once", "/codemode", atOnce],
];
const times = new Map<string, number[]>(cases.map(([name]) => [name, []]));
for (let round = -10; round < rounds; round += 1) {
  for (const [name, path, code] of cases.toSorted(() => Math.random() - 0.5)) {
    const start = performance.now();
    await ask(path, code);
    if (round >= 0) times.get(name)?.push(performance.now() - start);
  }
}
for (const [name, taken] of times) {
  const sorted = taken.toSorted((a, b) => a - b);
  const at = (part: number) => (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(1);
  console.log(`${name.padEnd(30)} median ${at(0.5)} ms, p90 ${at(0.9)} ms`);
}
await worker.dispose();
process.exit(0);
