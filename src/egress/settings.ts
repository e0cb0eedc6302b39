// The deployment's settings of egress, resolved from their text. What cannot be read closes: the ceiling becomes `none`, and
// no secret is added, with a sentence in the log.

import type { Env } from "../config/env.ts";
import { normalizePattern } from "./host-pattern.ts";
import type { EgressBounds, Reach } from "./policy.ts";
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

/** A preset, hosts, or both, separated by spaces or commas. */
function resolveCeiling(setting: string | undefined): Reach {
  const words = wordsOf(setting);
  if (words.length === 0) return { preset: "internet", hosts: [] };
  const presets = words.filter(isPreset);
  const hosts = words.filter((word) => !isPreset(word)).map(normalizePattern);
  const known = hosts.filter((host) => host !== null);
  const [preset = "none"] = presets;
  if (presets.length <= 1 && known.length === hosts.length) return { preset, hosts: known };
  console.error(`EGRESS_CEILING cannot be read; give one of ${PRESETS.join(", ")}, hosts, or both. Nothing is reached`);
  return { preset: "none", hosts: [] };
}

function resolveDefault(setting: string | undefined): Preset {
  const [word = "packages", ...more] = wordsOf(setting);
  if (isPreset(word) && more.length === 0) return word;
  console.error(`EGRESS_DEFAULT cannot be read; give one of ${PRESETS.join(", ")}. Nothing is reached`);
  return "none";
}

const wordsOf = (setting: string | undefined): string[] =>
  (setting ?? "").split(/[\s,]+/).filter((word) => word !== "");

const isPreset = (word: string): word is Preset => PRESETS.some((preset) => preset === word);
