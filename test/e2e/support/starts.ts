// Starts of `npm start` that fail, and the first call to one that did not.

import { spawn } from "node:child_process";
import { expect } from "vitest";
import { connect } from "./clients.ts";
import { testEngine } from "./engine.ts";
import { startCommand } from "./start-server.ts";

export const newSandbox = async (server: { url: string; key: string }, command: string) => {
  const client = await connect("2026", server);
  const result = await client.call("exec", { command });
  await client.close();
  return result;
};

/** Returns what a start that fails prints, and checks that it exits with 1. */
export async function failedStart(env: Record<string, string>, onSaid?: (soFar: string) => void): Promise<string> {
  const [program = "", ...args] = startCommand;
  const child = spawn(program, args, {
    env: { ...process.env, SANDBOX_MCP_ENGINE: testEngine, ...env },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      onSaid?.(said);
    });
  }
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect(code).toBe(1);
  return said;
}
