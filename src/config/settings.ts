// The settings of the Worker, parsed once from their text. A setting that cannot be read is reported or replaced by its
// default.

import type { Quotas } from "../account/quotas.ts";
import { type Access, parseAccessKeys } from "../auth/access-keys.ts";
import { limits } from "../contract/limits.ts";
import { parseDuration } from "../format/parse-duration.ts";
import type { Lifetime } from "../sandbox/machine/lifetime.ts";
import type { Env } from "./env.ts";

export interface Settings {
  access: Access;
  /** Lower-case host names without ports. */
  hosts: ReadonlySet<string>;
  /** The domain of previews; null when previews are off. */
  previews: PreviewDomain | null;
}

export interface PreviewDomain {
  /** The host name, with the port if the setting has one. */
  host: string;
  /** The host name without the port. */
  hostname: string;
}

const loopbackHosts = ["localhost", "127.0.0.1", "[::1]"];

const resolved = new WeakMap<Env, Settings>();

export function resolveSettings(env: Env): Settings {
  const known = resolved.get(env);
  if (known !== undefined) return known;
  const settings = {
    access: resolveAccess(env.ACCESS_KEYS),
    hosts: resolveHosts(env.ALLOWED_HOSTS),
    previews: resolvePreviews(env.PREVIEW_DOMAIN),
  };
  resolved.set(env, settings);
  return settings;
}

function resolveAccess(setting: string | undefined): Access {
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

/** A value that is not a host name turns previews off, and `expose` then reports that they are off. */
function resolvePreviews(setting: string | undefined): PreviewDomain | null {
  const host = (setting ?? "").trim().toLowerCase();
  if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d+)?$/.test(host)) return null;
  return { host, hostname: host.replace(/:\d+$/, "") };
}

/** A duration that cannot be read falls back to the default, so that a typing error does not disable every machine. */
export const resolveLifetime = (env: Env): Lifetime => ({
  sleepAfterMs: parseDuration(env.SLEEP_AFTER ?? "") ?? limits.sleepAfterMs,
  longestAwakeMs: parseDuration(env.LONGEST_AWAKE ?? "") ?? limits.longestAwakeMs,
});

export const resolveQuotas = (env: Env): Quotas => ({
  sandboxesMax: positive(env.MAX_SANDBOXES) ?? limits.sandboxesMax,
  awakeMax: positive(env.MAX_AWAKE) ?? limits.awakeMax,
});

const positive = (setting: string | undefined): number | null =>
  setting !== undefined && /^[1-9]\d*$/.test(setting.trim()) ? Number(setting) : null;

export interface Checkpointing {
  /** Changes are stored this long after the first change that is not stored. */
  afterMs: number;
  /** Absolute paths that are checkpointed besides the workspace and the home directory. */
  extraDirectories: string[];
}

export const resolveCheckpointing = (env: Env): Checkpointing => ({
  afterMs: parseDuration(env.CHECKPOINT_AFTER ?? "") ?? limits.checkpointAfterMs,
  extraDirectories: (env.CHECKPOINT_PATHS ?? "").split(/[\s,]+/).filter((path) => path.startsWith("/")),
});
