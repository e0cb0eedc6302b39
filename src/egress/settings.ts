// The deployment's egress settings, parsed from their text. A value that cannot be read fails closed and is logged: the
// ceiling and the default become `none`, and no secret is added.

import type { Env } from "../config/env.ts";
import { normalizePattern } from "./host-pattern.ts";
import type { Allowance, EgressBounds } from "./policy.ts";
import { PRESETS, type Preset } from "./presets.ts";
import { type EgressSecret, parseSecrets } from "./secrets.ts";

interface EgressSettings {
  bounds: EgressBounds;
  secrets: readonly EgressSecret[];
}

const resolved = new WeakMap<Env, EgressSettings>();

export function resolveEgress(env: Env): EgressSettings {
  const known = resolved.get(env);
  if (known !== undefined) return known;
  const settings = {
    bounds: { ceiling: resolveCeiling(env.EGRESS_CEILING), default: resolveDefault(env.EGRESS_DEFAULT) },
    secrets: parseSecrets(env.EGRESS_SECRETS, env),
  };
  resolved.set(env, settings);
  return settings;
}

/** The setting is a preset, hosts, or both, separated by spaces or commas. */
function resolveCeiling(setting: string | undefined): Allowance {
  const items = splitList(setting);
  if (items.length === 0) return { preset: "internet", hosts: [] };
  const presets = items.filter(isPreset);
  const patterns = items.filter((item) => !isPreset(item)).map(normalizePattern);
  const hosts = patterns.filter((pattern) => pattern !== null);
  const [preset = "none"] = presets;
  if (presets.length <= 1 && hosts.length === patterns.length) return { preset, hosts };
  console.error(
    `EGRESS_CEILING cannot be read, so no host is allowed; set it to one of ${PRESETS.join(", ")}, to hosts, or to both`,
  );
  return { preset: "none", hosts: [] };
}

function resolveDefault(setting: string | undefined): Preset {
  const [preset = "packages", ...rest] = splitList(setting);
  if (isPreset(preset) && rest.length === 0) return preset;
  console.error(`EGRESS_DEFAULT cannot be read, so the default is "none"; set it to one of ${PRESETS.join(", ")}`);
  return "none";
}

const splitList = (setting: string | undefined): string[] =>
  (setting ?? "").split(/[\s,]+/).filter((item) => item !== "");

const isPreset = (item: string): item is Preset => PRESETS.some((preset) => preset === item);
