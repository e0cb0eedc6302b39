// What one sandbox may reach, the most that its deployment allows, and the verdict on one request. Pure.

import * as z from "zod";
import { isBlockedHost } from "./blocked-addresses.ts";
import { isAddress, matchesAny, normalizeHost } from "./host-pattern.ts";
import { PRESET_HOSTS, PRESETS, type Preset } from "./presets.ts";

/** Hosts are normalized patterns (host-pattern.ts). `deny` overrides everything else; `allow` adds to the preset. */
export const EgressPolicy = z.object({
  /** Null means the deployment's default. */
  preset: z.enum(PRESETS).nullable(),
  allow: z.array(z.string()),
  deny: z.array(z.string()),
});
export type EgressPolicy = z.infer<typeof EgressPolicy>;

/** The hosts of a preset and further hosts, as normalized patterns. */
export interface Allowance {
  preset: Preset;
  hosts: readonly string[];
}

export interface EgressBounds {
  /** No sandbox reaches more than this. */
  ceiling: Allowance;
  /** The preset of a sandbox that does not choose one. */
  default: Preset;
}

export type Verdict =
  | { allowed: true }
  /**
   * `never` (a blocked host) and `port` hold under every policy; `ceiling` exceeds what the deployment allows; `denied` and
   * `unlisted` can be changed by `sandbox configure`.
   */
  | { allowed: false; reason: "never" | "port" | "ceiling" | "denied" | "unlisted" };

export interface HostPort {
  /** As a URL or a client writes it. */
  host: string;
  port: number;
}

/** The only ports that machines and isolates can reach. */
const PORTS = [80, 443];

export function judge({ host, port }: HostPort, policy: EgressPolicy, bounds: EgressBounds): Verdict {
  const name = normalizeHost(host);
  if (name === null || isBlockedHost(name)) return { allowed: false, reason: "never" };
  // This precedes every check that configure could change, because configure cannot help here.
  if (!PORTS.includes(port)) return { allowed: false, reason: "port" };
  if (!covers(bounds.ceiling, name)) return { allowed: false, reason: "ceiling" };
  if (matchesAny(policy.deny, name)) return { allowed: false, reason: "denied" };
  const allowance = { preset: policy.preset ?? bounds.default, hosts: policy.allow };
  // An address must be listed itself: any name may stand behind it, including a denied one.
  const allowed = isAddress(name) ? matchesAny(policy.allow, name) : covers(allowance, name);
  return allowed ? { allowed: true } : { allowed: false, reason: "unlisted" };
}

const covers = ({ preset, hosts }: Allowance, name: string): boolean =>
  preset === "internet" || matchesAny(PRESET_HOSTS[preset], name) || matchesAny(hosts, name);
