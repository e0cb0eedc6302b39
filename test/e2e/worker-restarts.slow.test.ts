// Ends the local Worker by force at random moments for two minutes, while 20 callers use it. A caller sees a broken connection or
// one JSON-RPC message, and nothing else. What was acknowledged has happened exactly once. SEED repeats a run.

import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import * as z from "zod";
import { isAlive, partsOf } from "./support/host.ts";
import { randomFrom } from "./support/random.ts";
import { projectDir, type Server, startServer } from "./support/start-server.ts";
import { storedObjects } from "./support/stored-objects.ts";

const MINUTES = Number(process.env["MINUTES"] ?? 2);
const seed = Number(process.env["SEED"] ?? Date.now() % 1e6);
/** How soon the server answers again, usually: other work may keep the cores busy for a while. */
const BACK_WITHIN_MS = 3_000;

const CALLERS: { kind: Caller; count: number }[] = [
  { kind: append, count: 6 },
  { kind: runOnce, count: 6 },
  { kind: startInBackground, count: 2 },
  { kind: runJs, count: 3 },
  { kind: read, count: 3 },
];

test(`20 callers keep what was acknowledged while the Worker is ended by force (SEED=${seed})`, {
  timeout: 600_000,
}, async ({ onTestFinished }) => {
  const server = await startServer({ env: { CHECKPOINT_AFTER: "5s" } });
  const world = new World(server);
  onTestFinished(async () => {
    world.isOver = true;
    await server.stop();
  });
  for (const sandbox of SANDBOXES) await world.untilAnswered("exec", { sandbox, command: "touch appended runs" });
  const callers = CALLERS.flatMap(({ kind, count }) =>
    Array.from({ length: count }, (_, index) => kind(world, SANDBOXES[index % SANDBOXES.length] ?? "one")),
  );
  const random = randomFrom(seed);
  const downMs: number[] = [];
  for (const until = performance.now() + MINUTES * 60_000; performance.now() < until; ) {
    await delay(500 + random() * 4_000);
    downMs.push(await endWorker(server, random() < 0.5 ? "workerd" : "worker"));
  }
  world.isOver = true;
  await Promise.all(callers);
  const [median = 0, slowest] = [downMs.sort((a, b) => a - b)[Math.floor(downMs.length / 2)], downMs.at(-1)];
  console.log({ ...world.outcomes, kills: downMs.length, median, slowest });

  expect(world.violations).toEqual([]);
  expect(median).toBeLessThan(BACK_WITHIN_MS);
  expect(world.outcomes.broken).toBeGreaterThan(downMs.length);
  for (const sandbox of SANDBOXES) await expectEffects(world, sandbox);
  for (const part of ["worker", "workerd"] as const) await expectDueCheckpoint(world, server, part);
});

const SANDBOXES = ["one", "two"];

type Caller = (world: World, sandbox: string) => Promise<void>;

/** What one request led to: a result, an error that names its reason, or a broken connection (null). */
type Outcome = { text: string; structured: Record<string, unknown>; isError: boolean } | null;

const Message = z.object({
  jsonrpc: z.literal("2.0"),
  result: z
    .object({
      content: z.array(z.object({ text: z.string().optional() })),
      structuredContent: z.record(z.string(), z.unknown()).optional(),
      isError: z.boolean().optional(),
    })
    .optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});

/** The requests of all callers, what they were answered, and what has to be true at the end. */
class World {
  isOver = false;
  readonly violations: string[] = [];
  readonly outcomes = { answered: 0, errors: 0, broken: 0 };
  /** Of each sandbox, the lines that were sent, and whether that was acknowledged. */
  readonly appended = new Map<string, Map<string, boolean>>();
  /** Of each sandbox, the ids of commands whose end was seen, and of those that run in the background. */
  readonly finished = new Map<string, string[]>();
  readonly background = new Map<string, string[]>();
  readonly #server: Server;
  #made = 0;
  #hasEnded = false;

  constructor(server: Server) {
    this.#server = server;
    void server.ended.then(() => (this.#hasEnded = true));
    for (const sandbox of SANDBOXES) {
      this.appended.set(sandbox, new Map());
      this.finished.set(sandbox, []);
      this.background.set(sandbox, []);
    }
  }

  newId = (): string => `id${++this.#made}`;

  async call(name: string, input: Record<string, unknown>): Promise<Outcome> {
    let text: string;
    let status: number;
    try {
      const response = await fetch(this.#server.url, {
        method: "POST",
        headers: {
          authorization: `Bearer ${this.#server.key}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } }),
      });
      status = response.status;
      text = await response.text();
    } catch {
      this.outcomes.broken += 1;
      return null;
    }
    return this.#read(`${name} was answered ${status}: ${text.slice(0, 500)}`, text);
  }

  /** Repeats the same request until it is answered with a result. */
  async untilAnswered(name: string, input: Record<string, unknown>): Promise<Exclude<Outcome, null>> {
    for (;;) {
      const outcome = await this.call(name, input);
      if (outcome !== null && !outcome.isError) return outcome;
      if (this.#hasEnded) throw new Error(`The server has ended: ${this.#server.output().slice(-2_000)}`);
      await delay(250);
    }
  }

  async fileOf(sandbox: string, path: string): Promise<string> {
    const { origin, key } = this.#server;
    const response = await fetch(`${origin}/files/${sandbox}/${path}`, { headers: { authorization: `Bearer ${key}` } });
    expect(response.status).toBe(200);
    return response.text();
  }

  #read(described: string, body: string): Outcome {
    if (LEAKS.some((leak) => body.toLowerCase().includes(leak.toLowerCase()))) this.violations.push(described);
    // A stream may begin with comments that keep the connection alive.
    const json = body.startsWith("{") ? body : /^data: (.*)$/m.exec(body)?.[1];
    const message = Message.safeParse(json === undefined ? null : JSON.parse(json));
    if (!message.success || (message.data.result === undefined) === (message.data.error === undefined)) {
      this.violations.push(described);
      return null;
    }
    const { result, error } = message.data;
    this.outcomes[error === undefined ? "answered" : "errors"] += 1;
    return {
      text: error?.message ?? result?.content.map(({ text = "" }) => text).join("\n") ?? "",
      structured: result?.structuredContent ?? {},
      isError: error !== undefined || result?.isError === true,
    };
  }
}

/** Pages, stacks and paths of the host. */
const LEAKS = ["<html", "<!doctype", "\n    at ", "node_modules", ".wrangler", projectDir];

async function append(world: World, sandbox: string): Promise<void> {
  while (!world.isOver) {
    const line = world.newId();
    const lines = world.appended.get(sandbox);
    lines?.set(line, false);
    const outcome = await world.call("file", { sandbox, action: "append", path: "appended", content: `${line}\n` });
    if (outcome !== null && !outcome.isError) lines?.set(line, true);
    else await delay(250);
  }
}

/** The same id attaches to the command, so that it runs once however often it has to be asked for. */
async function runOnce(world: World, sandbox: string): Promise<void> {
  while (!world.isOver) {
    const id = world.newId();
    const command = `echo ${id} >> runs; sleep 0.5; echo done ${id}`;
    const { structured } = await world.untilAnswered("exec", { sandbox, command, process_id: id });
    if (structured["stdout"] !== `done ${id}\n`) world.violations.push(`${id}: ${JSON.stringify(structured)}`);
    world.finished.get(sandbox)?.push(id);
  }
}

async function startInBackground(world: World, sandbox: string): Promise<void> {
  while (!world.isOver) {
    const id = world.newId();
    await world.untilAnswered("exec", { sandbox, command: "sleep 1000", background: true, process_id: id });
    world.background.get(sandbox)?.push(id);
    await delay(5_000);
  }
}

async function runJs(world: World): Promise<void> {
  while (!world.isOver) {
    const { structured, text } = await world.untilAnswered("run_js", { code: "6 * 7" });
    if (text.includes("Interrupted: The server was restarted")) world.outcomes.errors += 1;
    else if (structured["value"] !== 42) world.violations.push(`run_js: ${JSON.stringify(structured)}`);
  }
}

async function read(world: World, sandbox: string): Promise<void> {
  while (!world.isOver) {
    await world.untilAnswered("file", { sandbox, action: "read", path: "runs" });
    await world.untilAnswered("process", { sandbox, action: "list" });
  }
}

/** Returns how long it took until the server answered again. */
async function endWorker(server: Server, part: "worker" | "workerd"): Promise<number> {
  const pids = partsOf(server.pid, part);
  for (const pid of pids) process.kill(pid, "SIGKILL");
  const endedAt = performance.now();
  // The first answers may still be those of the old one.
  while (partsOf(server.pid, part).some((pid) => pids.includes(pid)) || !(await isHealthy(server))) {
    if (!isAlive(server.pid)) throw new Error(`The server has ended: ${server.output().slice(-2_000)}`);
    await delay(20);
  }
  return performance.now() - endedAt;
}

async function isHealthy({ origin }: Server): Promise<boolean> {
  try {
    return (await fetch(`${origin}/health`, { signal: AbortSignal.timeout(1_000) })).ok;
  } catch {
    return false;
  }
}

async function expectEffects(world: World, sandbox: string): Promise<void> {
  const appended = countLines(await world.fileOf(sandbox, "appended"));
  const lines = [...(world.appended.get(sandbox) ?? [])];
  expect(lines.filter(([line, isAcknowledged]) => isAcknowledged && appended.get(line) !== 1)).toEqual([]);
  expect([...appended].filter(([, count]) => count > 1)).toEqual([]);
  const runs = countLines(await world.fileOf(sandbox, "runs"));
  expect(world.finished.get(sandbox)?.filter((id) => runs.get(id) !== 1)).toEqual([]);
  expect([...runs].filter(([, count]) => count > 1)).toEqual([]);
  const { structured } = await world.untilAnswered("process", { sandbox, action: "list" });
  const { processes } = z
    .object({ processes: z.array(z.object({ process_id: z.string(), status: z.string() })) })
    .parse(structured);
  const running = processes.filter(({ status }) => status === "running").map(({ process_id }) => process_id);
  expect(running).toEqual(expect.arrayContaining(world.background.get(sandbox) ?? []));
}

/** The checkpoint that a change makes due is taken by the next Worker, although nobody calls it. */
async function expectDueCheckpoint(world: World, server: Server, part: "worker" | "workerd"): Promise<void> {
  await world.untilAnswered("sandbox", { sandbox: "one", action: "checkpoint" });
  const before = storedObjects(server);
  await world.untilAnswered("exec", { sandbox: "one", command: `echo ${part} > due` });
  await endWorker(server, part);
  await expect
    .poll(() => storedObjects(server).filter((key) => !before.includes(key)), { timeout: 60_000, interval: 500 })
    .not.toEqual([]);
}

function countLines(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of text.split("\n").filter(Boolean)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}
