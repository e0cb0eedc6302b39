// A headless Chromium, driven over its own protocol. Null where there is none on this machine.

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
  /** The value of a JavaScript expression in the page; it must be JSON. */
  evaluate(expression: string): Promise<unknown>;
}

const program = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path)) ?? null;

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
    void ended.then(() => reject(new Error("Chromium ended at its start")));
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
  const waiting = new Map<number, (result: Record<string, unknown>) => void>();
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });
  socket.addEventListener("message", ({ data }) => {
    const message: { id?: number; result?: Record<string, unknown> } = JSON.parse(String(data));
    waiting.get(message.id ?? 0)?.(message.result ?? {});
    waiting.delete(message.id ?? 0);
  });
  let id = 0;
  return (method, params, sessionId) =>
    new Promise((resolve) => {
      id += 1;
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }));
    });
}
