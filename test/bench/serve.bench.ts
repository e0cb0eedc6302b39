// What the way to the Worker costs: `/health` and an MCP ping beside a workerd that answers "ok", and `exec true` beside a spawn of
// `bash -c true`. One run, cases in random order after a warm-up: node test/bench/serve.bench.ts [rounds] [main.ts of a checkout …]
// Without a checkout this one is measured; with several, each is served at the same time and measured in the same run.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Miniflare } from "miniflare";
import { projectDir, type Server, startServer } from "../e2e/support/start-server.ts";
import { freePort } from "../free-port.ts";

const rounds = Number(process.argv[2] ?? 300);
const programs = process.argv.length > 3 ? process.argv.slice(3) : [join(projectDir, "container/local/main.ts")];

const agent = new Agent({ keepAlive: true });

async function send(url: string, headers: Record<string, string> = {}, body?: string): Promise<string> {
  const sent = request(url, { agent, headers, method: body === undefined ? "GET" : "POST" });
  sent.end(body);
  const [response] = await once(sent, "response");
  const answer = await text(response);
  if (response.statusCode !== 200 || answer.includes('"isError":true')) throw new Error(answer);
  return answer;
}

const call = ({ url, key }: Server, method: string, params: object): Promise<string> =>
  send(
    url,
    {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  );

async function startBareWorkerd(): Promise<{ url: string; stop(): Promise<void> }> {
  const port = await freePort();
  const bare = new Miniflare({
    cf: false,
    logRequests: false,
    enableDevRegistry: false,
    workers: [
      {
        config: {
          name: "bare",
          compatibilityDate: "2026-11-01",
          manifest: {
            mainModule: "ok.js",
            modules: { "ok.js": { type: "esm", contents: 'export default { fetch: () => new Response("ok") };' } },
          },
        },
        dev: { unsafeDirectSockets: [{ host: "127.0.0.1", port }] },
      },
    ],
  });
  await bare.ready;
  return { url: `http://127.0.0.1:${port}/`, stop: () => bare.dispose() };
}

const bare = await startBareWorkerd();
const servers: { name: string; server: Server; startMs: number }[] = [];
for (const program of programs) {
  const startedAt = performance.now();
  const server = await startServer({ command: [process.execPath, program] });
  servers.push({ name: program, server, startMs: performance.now() - startedAt });
}

const cases: Record<string, () => Promise<unknown>> = {
  "bare workerd": () => send(bare.url),
  "bare bash -c true": async () => once(spawn("bash", ["-c", "true"], { stdio: "ignore" }), "close"),
};
for (const [index, { server }] of servers.entries()) {
  cases[`/health ${index}`] = () => send(`${server.origin}/health`);
  cases[`MCP ping ${index}`] = () => call(server, "ping", {});
  cases[`exec true ${index}`] = () => call(server, "tools/call", { name: "exec", arguments: { command: "true" } });
}

const times = new Map<string, number[]>(Object.keys(cases).map((name) => [name, []]));
for (let round = -30; round < rounds; round += 1) {
  for (const [name, work] of Object.entries(cases).sort(() => Math.random() - 0.5)) {
    const startedAt = performance.now();
    await work();
    if (round >= 0) times.get(name)?.push(performance.now() - startedAt);
  }
}
await Promise.all([bare.stop(), ...servers.map(({ server }) => server.stop())]);

for (const [index, { name, startMs }] of servers.entries())
  console.log(`${index}: ${name}, ready after ${(startMs / 1000).toFixed(1)} s`);
for (const [name, values] of times) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(2);
  console.log(`${name.padEnd(20)} p50 ${at(0.5)} ms   p95 ${at(0.95)} ms`);
}
process.exit();
