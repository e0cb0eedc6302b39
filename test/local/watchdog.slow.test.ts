// The watchdog, on a real server whose process has the name and the parent of workerd.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { watch } from "../../container/local/watchdog.ts";
import { endWithTests } from "../end-with-tests.ts";
import { freePort } from "../free-port.ts";

const PATIENCE_MS = 1_500;

test("a server that hangs is ended after the patience, and given up when it does not come back", async () => {
  const server = await startServer();
  const watching = watchServer(server);
  await delay(PATIENCE_MS);
  expect(watching.events).toEqual([]);
  process.kill(server.pid, "SIGSTOP");
  const hungAt = performance.now();
  const [, signal] = await once(server.child, "exit");
  expect([signal, watching.events]).toEqual(["SIGKILL", ["restart"]]);
  expect(performance.now() - hungAt).toBeGreaterThan(PATIENCE_MS - 1_000);
  await watching.ended;
  expect(watching.events).toEqual(["restart", "give up"]);
});

test("a server that computes without end is ended", async () => {
  const server = await startServer();
  const watching = watchServer(server);
  await fetch(`http://127.0.0.1:${server.port}/spin`).catch(() => undefined);
  if (server.child.exitCode === null && server.child.signalCode === null) await once(server.child, "exit");
  expect(watching.events[0]).toBe("restart");
});

test("a server that answers is left alone after the watchdog itself was suspended", async () => {
  const server = await startServer();
  const watching = watchServer(server);
  // As after Ctrl-Z or when a laptop sleeps: timers that are overdue fire before the answers that came are read.
  for (let times = 0; times < 2; times += 1) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PATIENCE_MS * 3);
    await delay(10);
  }
  await delay(PATIENCE_MS);
  expect(watching.events).toEqual([]);
});

interface TestServer {
  child: ChildProcess;
  pid: number;
  port: number;
}

async function startServer(): Promise<TestServer> {
  const port = await freePort();
  const child = spawn(process.execPath, ["-e", SERVER, String(port)], { stdio: ["ignore", "pipe", "inherit"] });
  endWithTests(child);
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return { child, pid: child.pid ?? 0, port };
}

const SERVER = `
  process.title = "workerd";
  require("node:http").createServer((request, response) => {
    while (request.url === "/spin");
    response.end();
  }).listen(process.argv[1], "127.0.0.1", () => console.log("ready"));
`;

function watchServer({ port }: TestServer): { events: string[]; ended: Promise<void> } {
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const events: string[] = [];
  const ended = watch({
    port,
    workerPid: process.pid,
    patienceMs: PATIENCE_MS,
    onRestart: () => events.push("restart"),
    onGiveUp: () => events.push("give up"),
    signal: over.signal,
  });
  return { events, ended };
}
