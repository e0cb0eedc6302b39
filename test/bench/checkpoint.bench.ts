// What checkpoints cost: 50,000 files of 200 MB together, stored, edited, restored into a new machine, and edited again.
// node test/bench/checkpoint.bench.ts

import { readFileSync } from "node:fs";
import { connect } from "../e2e/support/clients.ts";
import { descendants } from "../e2e/support/host.ts";
import { startServer } from "../e2e/support/start-server.ts";

const FILES = Number(process.env["FILES"] ?? 50_000);
const BYTES = 4_200;

const server = await startServer({ env: { CHECKPOINT_AFTER: "1h", SLEEP_AFTER: "1h" } });
const client = await connect("2026", server);

async function timed(what: string, tool: string, input: Record<string, unknown>): Promise<Record<string, unknown>> {
  const before = residentMiB();
  let peak = before;
  const watch = setInterval(() => {
    const now = residentMiB();
    for (const name of NAMES) peak[name] = Math.max(peak[name] ?? 0, now[name] ?? 0);
  }, 20);
  peak = { ...before };
  const startedAt = performance.now();
  const result = await client.call(tool, input, { timeout: 280_000 });
  const ms = Math.round(performance.now() - startedAt);
  clearInterval(watch);
  if (result.isError) throw new Error(result.text);
  const grown = NAMES.map((name) => `${name} +${Math.round((peak[name] ?? 0) - (before[name] ?? 0))} MiB`).join(", ");
  console.log(`${what}: ${ms} ms; ${grown}`);
  return result.structured ?? {};
}

const NAMES = ["workerd", "sandbox-runner"];

function residentMiB(): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { pid, name } of descendants(server.pid)) {
    if (NAMES.includes(name)) sums[name] = (sums[name] ?? 0) + rss(pid);
  }
  return sums;
}

function rss(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    // It has ended since.
    return 0;
  }
}

const checkpoint = async (name: string): Promise<void> => {
  const { checkpoint: made } = await timed(name, "sandbox", { action: "checkpoint", name });
  console.log(`  ${JSON.stringify(made)}`);
};

try {
  const script =
    `const fs = require("fs"), crypto = require("crypto"); for (let p = 0; p < ${FILES / 100}; p++) { const d = "node_modules/p" + p + "/lib"; ` +
    `fs.mkdirSync(d, { recursive: true }); for (let f = 0; f < 100; f++) fs.writeFileSync(d + "/f" + f + ".js", crypto.randomBytes(${BYTES / 2}).toString("hex")); }`;
  await timed("make the files", "exec", { command: `node -e '${script}'; du -sh node_modules`, wait_ms: 200_000 });
  await checkpoint("first");
  await checkpoint("nothing changed");
  await client.call("exec", { command: "echo edited > node_modules/p7/lib/f7.js" });
  await checkpoint("second, after one edit");
  await timed("sleep, all stored", "sandbox", { action: "stop" });
  await timed("restore into a new machine, with a first command", "exec", {
    command: "cat node_modules/p7/lib/f7.js; find . -type f | wc -l",
    wait_ms: 200_000,
  });
  await client.call("exec", { command: "echo edited > node_modules/p8/lib/f8.js" });
  await checkpoint("third, after a restore and one edit");
  await timed("a command meanwhile", "exec", { command: "true" });
} finally {
  await client.close();
  await server.stop();
}
