// Connects to ports of loopback as a user of the host who has nothing to do with the server.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";

export interface Attempt {
  port: number;
  /** Latin-1. */
  text: string;
}

/** No account has this id. */
const UID = 1_234_569;

/** What comes back for each, in Latin-1, or the name of an error. Needs root. */
export function connectAsStranger(attempts: readonly Attempt[]): string[] {
  const script = readFileSync(join(import.meta.dirname, "connect.py"), "utf8");
  const output = execFileSync(
    "setpriv",
    ["--reuid", String(UID), "--regid", String(UID), "--clear-groups", "--inh-caps=-all", "python3", "-c", script],
    {
      input: JSON.stringify(attempts.map(({ port, text }) => [port, text])),
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      timeout: 60_000,
      maxBuffer: 2 ** 26,
    },
  );
  return z.array(z.string()).parse(JSON.parse(output.toString()));
}
