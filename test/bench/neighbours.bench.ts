// What a sandbox notices of another that exhausts its machine or the server: the p50, p99 and slowest call of a neighbour during
// each act beside those of a quiet time of the same run. Exits with 1 when a call fails, or when the p99 of an act is over the
// bound. `node test/bench/neighbours.bench.ts [bound, as a multiple of the quiet p99] [act …]`

import { setTimeout as delay } from "node:timers/promises";
import { connect } from "../e2e/support/clients.ts";
import { HOSTILE_SETTINGS, hostileActs, hostileCall } from "../e2e/support/hostile-acts.ts";
import { Neighbour, type Observation, percentile } from "../e2e/support/neighbour.ts";
import { startServer } from "../e2e/support/start-server.ts";

const QUIET_MS = 10_000;
const [, , boundText = "10", ...wanted] = process.argv;
const bound = Number(boundText);

const otherKey = "other-key-0123456789";
const server = await startServer({ env: { ...HOSTILE_SETTINGS, ACCESS_KEYS: `other:${otherKey}` } });
const hostile = await connect("2026", server);
const client = await connect("2026", { url: server.url, key: otherKey });
const neighbour = await Neighbour.start(client, "neighbour");

const quiet = await neighbour.observe(delay(QUIET_MS));
const quietP99 = percentile(quiet.durations, 0.99);
print("quiet", quiet);
let isWithinBounds = quiet.failures.length === 0;
for (const { title, act } of hostileActs.filter(({ title }) => wanted.length === 0 || wanted.includes(title))) {
  const sandbox = title.replaceAll(/[^a-z]+/g, "-");
  const call = hostileCall(hostile, sandbox);
  await call("exec", { command: "true" });
  const observation = await neighbour.observe(act(call));
  print(title, observation);
  isWithinBounds &&= observation.failures.length === 0 && percentile(observation.durations, 0.99) <= bound * quietP99;
  await call("sandbox", { action: "destroy" });
}
await Promise.all([hostile.close(), client.close()]);
await server.stop();
process.exit(isWithinBounds ? 0 : 1);

function print(title: string, { durations, failures }: Observation): void {
  const [p50, p99, slowest] = [0.5, 0.99, 1].map((share) => percentile(durations, share));
  const ms = [p50, p99, slowest].map((value = 0) => value.toFixed(0).padStart(6)).join(" ");
  const ratio = ((p99 ?? 0) / quietP99).toFixed(1).padStart(5);
  console.log(`${title.padEnd(40)} p50, p99, slowest ${ms} ms  p99 ${ratio}x  ${durations.length} calls`);
  for (const failure of failures) console.log(`  failed: ${failure.slice(0, 300)}`);
}
