// How long a new machine takes from create to an answer of its runner, without and with a spare; and what an idle one
// costs in memory. Run: node test/bench/engine.bench.ts [times]

import { setTimeout as delay } from "node:timers/promises";
import {
  type EngineUnderTest,
  processesOf,
  readFile,
  removeHomes,
  startEngine,
  users,
} from "../engine/engine-under-test.ts";

const times = Number(process.argv[2] ?? 20);
for (const user of users) {
  const engine = await startEngine({ user });
  await timeOne(engine, "warm-up", { KIND: "warm-up" });
  report(`${user}: cold`, await repeat((i) => timeOne(engine, `cold-${i}`, { KIND: `cold-${i}` })));
  await timeOne(engine, "first", { KIND: "spare" });
  report(
    `${user}: with a spare`,
    await repeat(async (i) => {
      await delay(2_000);
      return timeOne(engine, `spare-${i}`, { KIND: "spare" });
    }),
  );
  await engine.startMachine("idle", { KIND: "idle" });
  report(`${user}: warm command`, await repeat(() => timeExec(engine, "idle")));
  await delay(3_000);
  reportMemory(user, engine);
  await engine.close();
}
removeHomes();

/** Create, start and one command; the machine is deleted afterwards, outside of the time. */
async function timeOne(engine: EngineUnderTest, name: string, environment: Record<string, string>): Promise<number> {
  const began = performance.now();
  await engine.startMachine(name, environment);
  await engine.exec(name, "true");
  const took = performance.now() - began;
  for (const container of [name, `${name}-proxy`]) await engine.api("DELETE", `/containers/${container}?force=true`);
  return took;
}

async function timeExec(engine: EngineUnderTest, name: string): Promise<number> {
  const began = performance.now();
  await engine.exec(name, "true");
  return performance.now() - began;
}

async function repeat(run: (index: number) => Promise<number>): Promise<number[]> {
  const taken: number[] = [];
  for (let index = 0; index < times; index += 1) taken.push(await run(index));
  return taken.sort((a, b) => a - b);
}

function report(title: string, sorted: readonly number[]): void {
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
  console.log(`${title}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, ${sorted.length} times`);
}

/** Two machines are up: the idle one and the spare. */
function reportMemory(user: string, engine: EngineUnderTest): void {
  const sum = (field: string) =>
    processesOf(engine)
      .map((pid) => new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(readFile(`/proc/${pid}/smaps_rollup`))?.[1])
      .reduce((total, kilobytes) => total + Number(kilobytes ?? 0), 0);
  console.log(
    `${user}: idle machine ${Math.round(sum("Rss") / 2048)} MiB resident, ${Math.round(sum("Pss") / 2048)} MiB proportional`,
  );
}
