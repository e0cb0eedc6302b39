// The environment variables of a sandbox. Every command gets them; variables of the call itself take precedence. A value is never
// shown when its name, or its form, looks like a secret.

import * as z from "zod";
import { limits } from "../../contract/limits.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import type { SettingDescription, SettingGroup } from "./group.ts";

const Stored = z.record(z.string(), z.string());
type Stored = z.infer<typeof Stored>;

/** Null removes a variable. */
const Change = z.object({ env: z.record(z.string(), z.unknown()).optional() });

export const environment: SettingGroup<Stored, typeof Change> = {
  initial: {},
  stored: Stored,
  change: Change,
  apply,
  describe: (stored) => Object.entries(stored).map(describeOne),
};

function apply(stored: Stored, { env = {} }: z.infer<typeof Change>): Result<Stored> {
  const next = { ...stored };
  for (const [name, value] of Object.entries(env)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      return refuse(
        `env has the name ${JSON.stringify(name)}; use letters, digits and "_", not starting with a digit.`,
      );
    }
    if (value === null) delete next[name];
    else if (typeof value === "object" || value === undefined)
      return refuse(`env "${name}" must be a string, or null to remove it.`);
    else next[name] = String(value);
    if (next[name]?.includes("\0") === true) return refuse(`env "${name}" has a NUL character; leave it out.`);
  }
  return tooMuch(next) ?? succeed(next);
}

function tooMuch(env: Stored): Result<never> | null {
  const entries = Object.entries(env);
  if (entries.length > limits.sandboxEnvMaxVariables) {
    return fail({
      reason: "quota_exceeded",
      subject: "environment variables in a sandbox",
      limit: limits.sandboxEnvMaxVariables,
      advice: "Remove some with null.",
    });
  }
  const bytes = entries.reduce((sum, [name, value]) => sum + new TextEncoder().encode(name + value).length + 2, 0);
  if (bytes <= limits.sandboxEnvMaxBytes) return null;
  return fail({
    reason: "too_large",
    subject: "The environment",
    actual: bytes,
    limit: limits.sandboxEnvMaxBytes,
    unit: "bytes",
  });
}

function describeOne([name, value]: [string, string]): SettingDescription {
  const secret = looksSecret(name, value);
  return {
    name: `env ${name}`,
    value: secret ? null : value,
    remark: secret ? "not shown, it looks like a secret" : null,
  };
}

export function looksSecret(name: string, value: string): boolean {
  return (
    /KEY|TOKEN|SECRET|PASS|PWD|CRED|AUTH|PRIVATE|COOKIE|SESSION|SIGN|SALT|DSN|WEBHOOK|CERT|(^|_)PAT$/i.test(name) ||
    // A password inside a URL, or a prefix by which issuers make their tokens recognizable.
    /^[a-z][a-z0-9+.-]*:\/\/[^/@\s]*:[^/@\s]+@|^(gh[a-z]_|github_pat_|glpat-|sk-|xox[a-z]-|npm_|AKIA|eyJ[A-Za-z0-9_-]+\.)/.test(
      value,
    ) ||
    value.includes("PRIVATE KEY-----")
  );
}

const refuse = (message: string): Result<never> => fail({ reason: "invalid_request", message });
