// The Worker's settings, resolved once from their raw text. A fault in one is kept as a sentence for whoever deploys it.

import { type AccessKey, parseAccessKeys } from "./auth/access-keys.ts";
import { limits } from "./contract/limits.ts";
import { parseDuration } from "./duration.ts";
import type { Env } from "./env.ts";

export interface Settings {
  access: { keys: AccessKey[] } | { problem: string };
  /** Lower-case host names without ports. */
  hosts: ReadonlySet<string>;
}

const loopbackHosts = ["localhost", "127.0.0.1", "[::1]"];

const resolved = new WeakMap<Env, Settings>();

export function resolveSettings(env: Env): Settings {
  const known = resolved.get(env);
  if (known !== undefined) return known;
  const settings = { access: resolveAccess(env.ACCESS_KEYS), hosts: resolveHosts(env.ALLOWED_HOSTS) };
  resolved.set(env, settings);
  return settings;
}

function resolveAccess(setting: string | undefined): Settings["access"] {
  if (setting === undefined || setting.trim() === "") {
    return { problem: "No access is configured: set the secret ACCESS_KEYS to entries of the form name:key" };
  }
  try {
    return { keys: parseAccessKeys(setting) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : "ACCESS_KEYS cannot be read" };
  }
}

const resolveHosts = (setting: string | undefined): ReadonlySet<string> =>
  new Set([...loopbackHosts, ...(setting ?? "").toLowerCase().split(/[\s,]+/)].filter((host) => host !== ""));

export interface Lifetime {
  sleepAfterMs: number;
  longestAwakeMs: number;
}

/** A duration that cannot be read falls back to the default: a typing error must not keep every machine down. */
export const resolveLifetime = (env: Env): Lifetime => ({
  sleepAfterMs: parseDuration(env.SLEEP_AFTER ?? "") ?? limits.sleepAfterMs,
  longestAwakeMs: parseDuration(env.LONGEST_AWAKE ?? "") ?? limits.longestAwakeMs,
});
