// The audit log that a server keeps in its state directory.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { Server } from "../support/start-server.ts";

export const auditLog = ({ stateDir }: Server): string => readFileSync(join(stateDir, "egress.jsonl"), "utf8");

/** Of one sandbox, oldest first, without the time. */
export const auditRecords = (server: Server, sandbox: string): unknown[] =>
  auditLog(server)
    .trim()
    .split("\n")
    .map((line) => z.looseObject({ at: z.iso.datetime(), sandbox: z.string() }).parse(JSON.parse(line)))
    .filter((record) => record.sandbox === sandbox)
    .map(({ at: _, ...record }) => record);
