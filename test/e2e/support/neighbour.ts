// A caller with a sandbox of its own that makes ordinary calls one after another and reads a stream, while another sandbox
// misbehaves.

import type { McpClient } from "./clients.ts";

export interface Observation {
  /** The duration of every call, in milliseconds. */
  durations: number[];
  /** What went wrong with a call, or with the order of the lines of the stream. */
  failures: string[];
}

const TICKER = "n=0; while sleep 0.1; do echo tick $((n += 1)); done";

export class Neighbour {
  readonly #client: McpClient;
  readonly #sandbox: string;
  #offset = 0;
  #ticks = 0;
  #calls = 0;

  private constructor(client: McpClient, sandbox: string) {
    this.#client = client;
    this.#sandbox = sandbox;
  }

  static async start(client: McpClient, sandbox: string): Promise<Neighbour> {
    await client.call("exec", { command: TICKER, background: true, process_id: "ticker", sandbox });
    const neighbour = new Neighbour(client, sandbox);
    // The first calls of each kind are slower.
    await neighbour.observe(Promise.resolve());
    return neighbour;
  }

  /** Makes calls until `work` is settled, and at least one of each kind. */
  async observe(work: Promise<unknown>): Promise<Observation> {
    const observation: Observation = { durations: [], failures: [] };
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    work.then(settle, settle);
    for (let round = 0; round === 0 || !isSettled; round += 1)
      for (const call of [this.#exec, this.#file, this.#runJs, this.#stream]) {
        const startedAt = performance.now();
        const failure = await call.call(this).catch((error: unknown) => String(error));
        observation.durations.push(performance.now() - startedAt);
        if (failure !== null) observation.failures.push(failure);
      }
    return observation;
  }

  async #exec(): Promise<string | null> {
    this.#calls += 1;
    const text = `call ${this.#calls}`;
    const { structured, text: shown } = await this.#call("exec", { command: `echo ${text}` });
    return structured?.["stdout"] === `${text}\n` ? null : `exec: ${shown}`;
  }

  async #file(): Promise<string | null> {
    this.#calls += 1;
    const content = `content ${this.#calls}`;
    const path = `notes/${this.#calls % 10}.txt`;
    const written = await this.#call("file", { action: "write", path, content });
    if (written.isError) return `file write: ${written.text}`;
    const { text } = await this.#call("file", { action: "read", path });
    return text.includes(content) ? null : `file read: ${text}`;
  }

  async #runJs(): Promise<string | null> {
    const { structured, text } = await this.#call("run_js", { code: "input.a + 1", input: { a: 41 } });
    return structured?.["value"] === 42 ? null : `run_js: ${text}`;
  }

  async #stream(): Promise<string | null> {
    const { structured, text } = await this.#call("process", {
      action: "read",
      process_id: "ticker",
      stdout_offset: this.#offset,
      until: "output",
      wait_ms: 10_000,
    });
    const { stdout, next_stdout } = structured ?? {};
    if (typeof stdout !== "string" || typeof next_stdout !== "number") return `process read: ${text}`;
    this.#offset = next_stdout;
    for (const line of stdout.split("\n").filter(Boolean)) {
      this.#ticks += 1;
      if (line !== `tick ${this.#ticks}`) return `stream: "${line}" instead of tick ${this.#ticks}`;
    }
    return null;
  }

  #call(tool: string, input: Record<string, unknown>) {
    return this.#client.call(tool, { ...input, sandbox: this.#sandbox });
  }
}

export function percentile(durations: readonly number[], share: number): number {
  const sorted = durations.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
