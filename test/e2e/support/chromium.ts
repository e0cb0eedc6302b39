// A headless Chromium, driven over the DevTools protocol.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

export interface Browser {
  open(url: string): Promise<Page>;
  close(): Promise<void>;
}

export interface Page {
  /** Evaluates a JavaScript expression in the page and returns its value, which must be JSON. */
  evaluate(expression: string): Promise<unknown>;
}

const program = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path)) ?? null;

/** Resolves with null when Chromium is not installed. */
export async function startChromium(): Promise<Browser | null> {
  if (program === null) return null;
  const profile = mkdtempSync(join(tmpdir(), "chromium-"));
  const child = spawn(
    program,
    [
      ...["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"],
      ...["--remote-debugging-port=0", `--user-data-dir=${profile}`, "about:blank"],
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const address = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      const found = /DevTools listening on (ws:\S+)/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
    void ended.then(() => reject(new Error("Chromium ended while it started")));
  });
  const send = await connectProtocol(address);
  return {
    open: async (url) => {
      const { targetId } = await send("Target.createTarget", { url });
      const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
      return {
        evaluate: async (expression) => {
          const { result } = await send("Runtime.evaluate", { expression, returnByValue: true }, String(sessionId));
          return typeof result === "object" && result !== null && "value" in result ? result.value : undefined;
        },
      };
    },
    close: async () => {
      child.kill("SIGKILL");
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

type Send = (method: string, params: object, sessionId?: string) => Promise<Record<string, unknown>>;

async function connectProtocol(address: string): Promise<Send> {
  const socket = new WebSocket(address);
  const pending = new Map<number, (result: Record<string, unknown>) => void>();
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });
  socket.addEventListener("message", ({ data }) => {
    const message: { id?: number; result?: Record<string, unknown> } = JSON.parse(String(data));
    pending.get(message.id ?? 0)?.(message.result ?? {});
    pending.delete(message.id ?? 0);
  });
  let id = 0;
  return (method, params, sessionId) =>
    new Promise((resolve) => {
      id += 1;
      pending.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }));
    });
}
