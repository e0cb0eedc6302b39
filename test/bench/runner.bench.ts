// What a command costs through the runner, beside what it costs bare: `node test/bench/runner.bench.ts [rounds]`.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { argv, execPath } from "node:process";
import { fileURLToPath } from "node:url";

const ROUNDS = Number(argv[2] ?? 300);
const PORT = 39_871;
const MAIN = fileURLToPath(new URL("../../container/runner/main.ts", import.meta.url));

const root = mkdtempSync(join(tmpdir(), "runner-bench-"));
const env = {
  PATH: process.env["PATH"],
  RUNNER_PORT: String(PORT),
  RUNNER_WORKSPACE: root,
  RUNNER_LOG_DIRECTORY: root,
};
const runner = spawn(execPath, [MAIN], { env, stdio: "inherit" });
const url = `http://127.0.0.1:${PORT}`;
while (!(await fetch(`${url}/health`).catch(() => null))) await new Promise((resolve) => setTimeout(resolve, 5));

let made = 0;
const kinds: Record<string, () => Promise<unknown>> = {
  "bare bash -c true": () => bare("true"),
  "bare bash -c 'seq 1 20000'": () => bare("seq 1 20000"),
  "health over HTTP": async () => (await fetch(`${url}/health`)).text(),
  "exec true": () => exec("true"),
  "exec 'seq 1 20000'": () => exec("seq 1 20000"),
};

const times = new Map<string, number[]>(Object.keys(kinds).map((name) => [name, []]));
for (let round = -20; round < ROUNDS; round++) {
  for (const [name, run] of Object.entries(kinds)) {
    const started = performance.now();
    await run();
    if (round >= 0) times.get(name)?.push(performance.now() - started);
  }
}
for (const [name, all] of times) {
  all.sort((a, b) => a - b);
  const at = (part: number): string => (all[Math.floor(all.length * part)] ?? 0).toFixed(2).padStart(7);
  console.log(`${name.padEnd(28)} p50 ${at(0.5)} ms   p95 ${at(0.95)} ms`);
}
runner.kill();
rmSync(root, { recursive: true });

function bare(command: string): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn("/bin/bash", ["-c", command], { stdio: ["ignore", "pipe", "pipe"], detached: true });
    child.stdout.resume();
    child.stderr.resume();
    child.once("close", () => resolve());
  });
}

async function exec(command: string): Promise<unknown> {
  const request = {
    process_id: `b${made++}`,
    repeatable: false,
    command,
    cwd: ".",
    env: {},
    stdin: null,
    stdin_open: false,
    timeout_ms: 60_000,
    wait_ms: 10_000,
    pty: null,
    stream_chars: 16_000,
  };
  const response = await fetch(`${url}/v1/exec`, { method: "POST", body: JSON.stringify(request) });
  return response.json();
}
