// Ends `npm start` in a real terminal, as a person does. The terminal and npm both signal the server, so a test that signals one
// process does not show what a person gets.

import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { connect } from "./clients.ts";
import { descendants, isAlive } from "./host.ts";
import { type Server, startServer } from "./start-server.ts";

const CTRL_C = "\x03";

export type Stop = (server: Server) => unknown;

export const stops: Readonly<Record<string, Stop>> = {
  "Ctrl-C": (server: Server) => server.type(CTRL_C),
  "ten times Ctrl-C": pressTenTimes,
  "closing the terminal": (server: Server) => server.stop("SIGKILL"),
  "closing the terminal after Ctrl-C": async (server: Server) => {
    server.type(CTRL_C);
    await expect.poll(server.output).toContain("Stopping the server");
    await server.stop("SIGKILL");
  },
};

/** Fast enough that three presses are within a second, and slow enough that the kernel does not merge them into one signal. */
export async function pressTenTimes(server: Server): Promise<void> {
  for (let presses = 0; presses < 10; presses += 1) {
    server.type(CTRL_C);
    await delay(30);
  }
}

/** No checkpoint is taken before the end. */
export const startInTerminal = (stateDir: string): Promise<Server> =>
  startServer({ stateDir, command: ["npm", "start"], inTerminal: true, env: { CHECKPOINT_AFTER: "10m" } });

/** Writes a file just before each stop, and checks that it is there after the next start. */
export async function expectFilesKept(stateDir: string, kinds: readonly string[]): Promise<void> {
  let server = await startInTerminal(stateDir);
  for (const [index, kind] of kinds.entries()) {
    await exec(server, `echo ${index} ${kind} > written`);
    const started = descendants(server.pid);
    await stops[kind]?.(server);
    await expect.poll(() => started.filter(({ pid }) => isAlive(pid))).toEqual([]);
    server = await startInTerminal(stateDir);
    const { stdout, notice } = await exec(server, "cat written");
    expect([stdout, notice]).toEqual([`${index} ${kind}\n`, expect.stringContaining("Its files are as they were")]);
  }
  server.type(CTRL_C);
  await server.ended;
}

export async function exec(server: Server, command: string): Promise<Record<string, unknown>> {
  const client = await connect("2026", server);
  const { structured, text } = await client.call("exec", { command });
  await client.close();
  expect(structured?.["exit_code"], text).toBe(0);
  return structured ?? {};
}
