// What goes out under load: large bodies both ways and what memory they take, many connections, and sudden ends.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, type McpClient } from "../support/clients.ts";
import { descendants, residentBytes } from "../support/host.ts";
import { type Server, startServer } from "../support/start-server.ts";
import { canStandIn, type StandIn, startStandIn } from "./stand-in.ts";

const GB = 1_000_000_000;
/** What the processes of the server may have grown by between the middle of a transfer and its end. */
const FLAT_BYTES = 50_000_000;

/** Each prints how many bytes have arrived at the other side. */
const transfers = {
  "comes down": `curl -sS 'https://tls.example/bytes?count=${GB}' | wc -c`,
  "goes up": `truncate -s ${GB} gigabyte; curl -sS -T gigabyte https://tls.example/count`,
  "of which nobody said the length goes up": `head -c ${GB} /dev/zero | curl -sS -T - https://tls.example/count`,
};

if (!canStandIn) console.warn("SKIPPED: load on the way out needs root, for stand-ins on ports 80 and 443");

describe.skipIf(!canStandIn)("egress under load", () => {
  let standIn: StandIn;
  let server: Server;
  let client: McpClient;

  beforeAll(async () => {
    standIn = await startStandIn();
    server = await startServer({ env: standIn.environment(["tls.example", "plain.example"]) });
    client = await connect("2026", server);
    await client.call("sandbox", { action: "configure", allow: ["tls.example", "plain.example"] });
    await exec("true");
  });

  afterAll(async () => {
    await client?.close();
    await server?.stop();
    await standIn?.close();
  });

  const exec = async (command: string): Promise<string> => {
    const call = { command, wait_ms: 280_000, timeout_ms: 280_000 };
    return String((await client.call("exec", call, { timeout: 300_000 })).structured?.["stdout"]);
  };
  const memory = (): number =>
    descendants(server.pid)
      .map(({ pid }) => residentBytes(pid))
      .reduce((sum, bytes) => sum + bytes, 0);

  test.each(Object.entries(transfers))("a gigabyte %s whole, memory flat", async (_, command) => {
    const used: number[] = [];
    const watch = setInterval(() => used.push(memory()), 100);
    const arrived = await exec(command);
    clearInterval(watch);
    const half = Math.floor(used.length / 2);
    expect(Number(arrived)).toBe(GB);
    expect(Math.max(...used.slice(half)) - Math.max(...used.slice(0, half))).toBeLessThan(FLAT_BYTES);
  });

  test("200 connections at once are all served", async () => {
    const text = await exec(
      `seq 200 | xargs -P 200 -I{} curl -sS -m 60 -o /dev/null -w '%{http_code}\\n' 'https://tls.example/slow?{}' | sort | uniq -c`,
    );
    expect(text.trim()).toBe("200 200");
  });

  test("a download that the machine breaks off ends at the other side too", async () => {
    expect(await exec(`curl -sS 'https://tls.example/bytes?count=${100 * GB}' | head -c 1000000 | wc -c`)).toBe(
      "1000000\n",
    );
    await expect.poll(() => standIn.open(), { timeout: 10_000 }).toBeLessThan(5);
  });

  test("the engine killed in the middle of a transfer comes back, and so does the way out", async () => {
    void exec(`curl -sS -o /dev/null 'https://tls.example/bytes?count=${100 * GB}'`).catch(() => undefined);
    await expect.poll(() => standIn.open(), { timeout: 10_000 }).toBeGreaterThan(0);
    const engine = descendants(server.pid).find(({ pid }) => commandLine(pid).includes("engine/main.ts"));
    process.kill(engine?.pid ?? 0, "SIGKILL");
    await expect.poll(() => standIn.open(), { timeout: 20_000 }).toBe(0);
    await expect
      .poll(async () => exec("curl -sS -m 5 https://tls.example/again").catch(() => ""), {
        timeout: 60_000,
        interval: 1_000,
      })
      .toContain("GET tls.example/again");
  });
});

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    // It has ended since.
    return "";
  }
}
