// Kills parts of a running server at random moments, fifty times, and compares the files with a model after each: nothing that a
// checkpoint was said to have is missing, nothing is there that never was, and the notice tells the truth. SEED repeats a run.

import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { connect, type McpClient, type ToolResult } from "./support/clients.ts";
import { partsOf } from "./support/host.ts";
import { randomFrom } from "./support/random.ts";
import { type Server, startServer } from "./support/start-server.ts";

const ROUNDS = Number(process.env["ROUNDS"] ?? 50);
const seed = Number(process.env["SEED"] ?? Date.now() % 1e6);

test(`files survive ${ROUNDS} ends by force (SEED=${seed})`, { timeout: 1_200_000 }, async () => {
  const server = await startServer({ env: { SLEEP_AFTER: "4s", CHECKPOINT_AFTER: "1s" } });
  const client = await connect("2026", server);
  const random = randomFrom(seed);
  const model = new Model();
  const told = { whole: 0, lost: 0, nothing: 0 };
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const kind = PARTS[round % PARTS.length] ?? "runner";
      const steps = 2 + Math.floor(random() * 6);
      const killing = delay(random() * 1_500).then(() => kill(server, kind, random));
      for (let step = 0; step < steps; step += 1) {
        if (random() < 0.25) await takeCheckpoint(client, model);
        else await change(client, model, random);
        if (random() < 0.3) await delay(random() * 1_200);
      }
      await killing;
      // At times a machine that was ended is not noticed before it has slept.
      if (random() < 0.1) await delay(5_000);
      const files = await lookAtFiles(client, model);
      const wrong = model.compare(files);
      expect({ round, kind, notices: model.notices, wrong }).toEqual({
        round,
        kind,
        notices: model.notices,
        wrong: [],
      });
      told[model.notices.length === 0 ? "nothing" : outcomeOf(model.notices[0] ?? "")] += 1;
      model.settle(files);
    }
  } finally {
    console.log("told", told);
    await client.close();
    await server.stop();
  }
});

const PARTS = ["runner", "workerd", "machine", "engine", "worker"] as const;

/** What a caller may rely on. */
type Outcome = "whole" | "lost" | "nothing";

function outcomeOf(notice: string): Outcome {
  if (!notice.includes("machine was")) return "nothing";
  return notice.includes("Its files are as they were") ? "whole" : "lost";
}

interface Version {
  /** What it may be: more than one only after a restart that may have lost something. */
  contents: (string | null)[];
  /** The call that made it was answered. */
  isCertain: boolean;
}

/** Of each file every content that it has had since the last checkpoint. */
class Model {
  readonly #versions = new Map<string, Version[]>();
  readonly notices: string[] = [];

  write(path: string, content: string | null, isCertain: boolean): void {
    const versions = this.#versions.get(path) ?? [{ contents: [null], isCertain: true }];
    this.#versions.set(path, [...versions, { contents: [content], isCertain }]);
  }

  /** Everything that was certain before it is there from now on. */
  stored(): void {
    for (const [path, versions] of this.#versions) this.#versions.set(path, sinceCertain(versions));
  }

  /** What an answer says of the files at this moment. */
  hear(result: ToolResult | null): void {
    const notice = String(result?.structured?.["notice"] ?? /^Notice: .*/m.exec(result?.text ?? "")?.[0] ?? "");
    const outcome = outcomeOf(notice);
    if (outcome === "nothing") return;
    this.notices.push(notice);
    for (const [path, versions] of this.#versions) {
      const possible = outcome === "lost" ? versions : sinceCertain(versions);
      this.#versions.set(path, [{ contents: possible.flatMap(({ contents }) => contents), isCertain: true }]);
    }
  }

  compare(files: ReadonlyMap<string, string>): string[] {
    const wrong = [...files.keys()].filter((path) => !this.#versions.has(path)).map((path) => `${path} never was`);
    for (const [path, versions] of this.#versions) {
      const allowed = sinceCertain(versions).flatMap(({ contents }) => contents);
      const found = files.get(path) ?? null;
      if (!allowed.includes(found)) wrong.push(`${path} is ${found}, not one of ${allowed.join(", ")}`);
    }
    return wrong;
  }

  /** What is in the machine is known now; what is stored may be older. */
  settle(files: ReadonlyMap<string, string>): void {
    this.notices.length = 0;
    for (const path of this.#versions.keys()) this.write(path, files.get(path) ?? null, true);
  }
}

/** The last content that was certain, and those of calls since whose end is not known. */
const sinceCertain = (versions: Version[]): Version[] =>
  versions.slice(versions.findLastIndex(({ isCertain }) => isCertain));

let writes = 0;

async function change(client: McpClient, model: Model, random: () => number): Promise<void> {
  const path = `d${Math.floor(random() * 4)}/f${Math.floor(random() * 5)}`;
  const content = random() < 0.2 ? null : `v${++writes}`;
  const command =
    content === null
      ? `rm -f ${path}`
      : `mkdir -p ${path.split("/")[0]}; echo ${content} > ${path}.new; mv ${path}.new ${path}`;
  const result = await tryCall(client, "exec", { command });
  model.hear(result);
  // The shell may have been at it when it was ended.
  model.write(path, content, result?.structured?.["exit_code"] === 0);
}

async function takeCheckpoint(client: McpClient, model: Model): Promise<void> {
  const result = await tryCall(client, "sandbox", { action: "checkpoint", name: `n${++writes}` });
  model.hear(result);
  if (result !== null && !result.isError) model.stored();
}

async function lookAtFiles(client: McpClient, model: Model): Promise<Map<string, string>> {
  const command = "find . -type f ! -name '*.new' -exec sh -c 'for f; do echo \"$f $(cat $f)\"; done' sh {} +";
  const deadline = Date.now() + 90_000;
  for (;;) {
    const result = await tryCall(client, "exec", { command });
    model.hear(result);
    if (result !== null && !result.isError && result.structured?.["exit_code"] === 0) {
      const lines = String(result.structured["stdout"]).trimEnd().split("\n").filter(Boolean);
      return new Map(lines.map(pair));
    }
    if (Date.now() > deadline) throw new Error(`no machine any more: ${result?.text}`);
    await delay(300);
  }
}

const pair = (line: string): [string, string] => [line.slice(2, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)];

/** Null when the server could not be reached. */
async function tryCall(client: McpClient, tool: string, input: Record<string, unknown>): Promise<ToolResult | null> {
  try {
    return await client.call(tool, input, { timeout: 20_000 });
  } catch {
    return null;
  }
}

function kill(server: Server, part: (typeof PARTS)[number], random: () => number): void {
  const found = partsOf(server.pid, part);
  const chosen =
    part === "runner" || part === "machine" ? found.slice(Math.floor(random() * found.length)).slice(0, 1) : found;
  for (const pid of chosen) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended since.
    }
  }
}
