// Connects to ports of loopback as a user of the host who has nothing to do with the server.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import * as z from "zod";

export interface Attempt {
  port: number;
  /** Latin-1. */
  text: string;
}

/** No account has this id. */
const UID = 1_234_569;

/** What comes back for each, in Latin-1, or the name of an error. Needs root. */
export async function connectAsStranger(attempts: readonly Attempt[]): Promise<string[]> {
  const script = readFileSync(join(import.meta.dirname, "connect.py"), "utf8");
  const child = spawn(
    "setpriv",
    ["--reuid", String(UID), "--regid", String(UID), "--clear-groups", "--inh-caps=-all", "python3", "-c", script],
    { cwd: "/", env: { PATH: "/usr/bin:/bin" }, stdio: ["pipe", "pipe", "inherit"] },
  );
  child.stdin.end(JSON.stringify(attempts.map(({ port, text: sent }) => [port, sent])));
  return z.array(z.string()).parse(JSON.parse(await text(child.stdout)));
}
