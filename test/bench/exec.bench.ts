// exec the whole way, beside the bare work: `bash -c true` spawned by Node, and an MCP call that does nothing. One run,
// cases interleaved in random order after warm-up. `node test/bench/exec.bench.ts [rounds]`.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { startServer } from "../e2e/support/start-server.ts";

const rounds = Number(process.argv[2] ?? 100);
const server = await startServer();

const post = async (method: string, params: Record<string, unknown>): Promise<string> => {
  const response = await fetch(server.url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${server.key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const text = await response.text();
  if (!response.ok || text.includes('"isError":true')) throw new Error(text);
  return text;
};
const exec = (input: Record<string, unknown>) => post("tools/call", { name: "exec", arguments: input });
const bare = async (command: string) => {
  const child = spawn("bash", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.resume();
  child.stderr.resume();
  await once(child, "close");
};

const seq = "seq 1 20000";
let fresh = 0;
const cases: Record<string, () => Promise<unknown>> = {
  "bare bash -c true": () => bare("true"),
  "MCP ping": () => post("ping", {}),
  "exec true": () => exec({ command: "true" }),
  "bare seq 1 20000": () => bare(seq),
  "exec seq 1 20000": () => exec({ command: seq }),
};

const times = new Map<string, number[]>();
const measure = async (name: string, work: () => Promise<unknown>) => {
  const start = performance.now();
  await work();
  const taken = performance.now() - start;
  times.set(name, [...(times.get(name) ?? []), taken]);
};

for (let round = 0; round < 20; round += 1) for (const work of Object.values(cases)) await work();
for (let round = 0; round < rounds; round += 1) {
  const order = Object.entries(cases).sort(() => Math.random() - 0.5);
  for (const [name, work] of order) await measure(name, work);
}
for (let round = 0; round < 10; round += 1) {
  // Long enough for the next spare machine to be ready, as it is between two sandboxes of a person.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  await measure("exec true in a new sandbox", () => exec({ command: "true", sandbox: `cold-${fresh++}` }));
}
await server.stop();

const at = (sorted: number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
const floor = at(
  [...(times.get("bare bash -c true") ?? [])].sort((a, b) => a - b),
  0.5,
);
for (const [name, taken] of times) {
  const sorted = [...taken].sort((a, b) => a - b);
  const p50 = at(sorted, 0.5);
  console.log(
    `${name.padEnd(28)} p50 ${p50.toFixed(2)} ms   p95 ${at(sorted, 0.95).toFixed(2)} ms   ${(p50 / floor).toFixed(2)}x`,
  );
}
