// Requests made byte by byte in a machine (raw-requests.py).

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import * as z from "zod";
import type { McpClient } from "../support/clients.ts";

export interface RawRequest {
  host: string;
  /** Latin-1. */
  send: string;
  /** On port 443, as when absent; else on port 80 in clear text; `none` is port 443 without TLS. */
  tls?: boolean | "none";
  sni?: string;
  /** The method of each request that gets a response, because one to HEAD has no body; one GET when absent. */
  methods?: readonly string[];
  /** Waits for the other side to close when the answers have come. */
  until?: "closed";
  /** Sent once a second while waiting. */
  drip?: string;
  /** Seconds; 30 when absent. */
  patience?: number;
}

const Outcome = z.object({
  answers: z.array(
    z.object({
      status: z.number(),
      reason: z.string(),
      headers: z.array(z.tuple([z.string(), z.string()])),
      body: z.string(),
    }),
  ),
  /** `open` or `closed`, or the name of an error. */
  end: z.string(),
  seconds: z.number(),
});
export type RawOutcome = z.infer<typeof Outcome>;

const script = readFileSync(join(import.meta.dirname, "raw-requests.py"), "utf8");

/** All at once. */
export async function sendRaw<Name extends string>(
  client: McpClient,
  sandbox: string,
  requests: Record<Name, RawRequest>,
): Promise<Record<Name, RawOutcome>> {
  const call = { command: "python3 -", stdin: script, env: { CASES: JSON.stringify(requests) }, sandbox };
  const result = await client.call("exec", call);
  const names = Object.keys(requests);
  return z
    .record(z.enum(names), Outcome)
    .parse(JSON.parse(inflateSync(Buffer.from(String(result.structured?.["stdout"]), "base64")).toString()));
}
