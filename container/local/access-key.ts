// The local access key: created on the first start, stored in the state directory, overridden by SANDBOX_MCP_KEY.

import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { limits } from "../../src/contract/limits.ts";
import { UserError } from "./user-error.ts";

export function accessKey(stateDir: string, override: string | undefined): string {
  if (override !== undefined && override !== "") return checkKey(override, "SANDBOX_MCP_KEY");
  const file = join(stateDir, "key");
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, `${randomBytes(24).toString("base64url")}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    // EEXIST: an earlier start created it.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  return checkKey(readFileSync(file, "utf8").trim(), file);
}

function checkKey(key: string, source: string): string {
  if (!/^[A-Za-z0-9._~+/=-]+$/.test(key)) {
    throw new UserError(
      `The access key in ${source} may contain only letters, digits and . _ ~ + / = -; change it and start again.`,
    );
  }
  if (key.length >= limits.accessKeyMinChars) return key;
  throw new UserError(
    `The access key in ${source} has fewer than ${limits.accessKeyMinChars} characters; make one with: openssl rand -hex 24`,
  );
}
