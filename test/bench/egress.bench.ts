// A gigabyte each way through the whole way out, beside the same between the same two programs directly. One run, interleaved.
// Needs root, for the stand-in's ports: node test/bench/egress.bench.ts [rounds]

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { startStandIn } from "../e2e/egress/stand-in.ts";
import { connect } from "../e2e/support/clients.ts";
import { startServer } from "../e2e/support/start-server.ts";

const GB = 1_000_000_000;
const rounds = Number(process.argv[2] ?? 5);
const curl = "curl -sS -o /dev/null -w '%{http_code} %{time_total}'";
const cases = {
  down: `${curl} 'https://tls.example/bytes?count=${GB}'`,
  up: `${curl} -T gigabyte https://tls.example/count`,
  "up, length unknown": `head -c ${GB} /dev/zero | ${curl} -H Expect: -T - https://tls.example/count`,
};
/** A file without blocks: it takes no memory in a machine. */
const makeFile = `truncate -s ${GB} gigabyte`;

const here = mkdtempSync(join(tmpdir(), "direct-"));
execFileSync("sh", ["-c", makeFile], { cwd: here });
const standIn = await startStandIn();
const server = await startServer({ env: standIn.environment(["tls.example"]) });
const client = await connect("2026", server);
await client.call("sandbox", { action: "configure", allow: ["tls.example"] });
await client.call("exec", { command: makeFile });

async function direct(command: string): Promise<string> {
  const resolved = command.replace("curl", `curl -k --resolve tls.example:443:${standIn.address}`);
  const child = spawn("sh", ["-c", resolved], { cwd: here, stdio: ["ignore", "pipe", "inherit"] });
  const [said] = await Promise.all([text(child.stdout), once(child, "close")]);
  return said;
}

async function through(command: string): Promise<string> {
  const input = { command, wait_ms: 280_000, timeout_ms: 280_000 };
  return String((await client.call("exec", input, { timeout: 300_000 })).structured?.["stdout"]);
}

async function seconds(run: (command: string) => Promise<string>, command: string): Promise<number> {
  const said = await run(command);
  if (!said.startsWith("200 ")) throw new Error(said);
  return Number(said.split(" ")[1]);
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const speed = (values: readonly number[]): string => `${(GB / median(values) / 1e6).toFixed(0)} MB/s`;

for (const [name, command] of Object.entries(cases)) {
  const [bare, whole]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await seconds(direct, command));
    whole.push(await seconds(through, command));
  }
  const share = median(bare) / median(whole);
  console.log(`${name}: direct ${speed(bare)}, through ${speed(whole)}, share ${share.toFixed(2)}`);
}
await client.close();
await server.stop();
await standIn.close();
rmSync(here, { recursive: true });
