// What one sandbox may reach, what its deployment allows at most, and the verdict on one destination. Pure.

import * as z from "zod";
import { isNeverHost } from "./blocked-addresses.ts";
import { isAddress, matchesAny, normalizeHost } from "./host-pattern.ts";
import { PRESET_HOSTS, PRESETS, type Preset } from "./presets.ts";

/** Hosts are normalized patterns (host-pattern.ts). `deny` wins over everything, `allow` over the preset. */
export const EgressPolicy = z.object({
  /** Null is the deployment's own. */
  preset: z.enum(PRESETS).nullable(),
  allow: z.array(z.string()),
  deny: z.array(z.string()),
});
export type EgressPolicy = z.infer<typeof EgressPolicy>;

/** A preset, and hosts beside it. */
export interface Reach {
  preset: Preset;
  hosts: readonly string[];
}

export interface EgressBounds {
  ceiling: Reach;
  /** The preset of a sandbox that says nothing. */
  default: Preset;
}

export type Verdict =
  | { allowed: true }
  /**
   * `never` and `port` for every policy; `ceiling` is above what the deployment allows; `denied` and `unlisted` can be changed by
   * configure.
   */
  | { allowed: false; why: "never" | "port" | "ceiling" | "denied" | "unlisted" };

export interface Destination {
  /** As a URL or a client names it. */
  host: string;
  port: number;
}

/** The only ones that go out, from machines and isolates alike. */
const PORTS = [80, 443];

export function judge({ host, port }: Destination, policy: EgressPolicy, bounds: EgressBounds): Verdict {
  const name = normalizeHost(host);
  if (name === null || isNeverHost(name)) return { allowed: false, why: "never" };
  // Before all that configure could change, which would not help.
  if (!PORTS.includes(port)) return { allowed: false, why: "port" };
  if (!reaches(bounds.ceiling, name)) return { allowed: false, why: "ceiling" };
  if (matchesAny(policy.deny, name)) return { allowed: false, why: "denied" };
  const reach = { preset: policy.preset ?? bounds.default, hosts: policy.allow };
  // An address is reached only by being listed: behind it may be any name, also one that is denied.
  const allowed = isAddress(name) ? matchesAny(policy.allow, name) : reaches(reach, name);
  return allowed ? { allowed: true } : { allowed: false, why: "unlisted" };
}

const reaches = ({ preset, hosts }: Reach, name: string): boolean =>
  preset === "internet" || matchesAny(PRESET_HOSTS[preset], name) || matchesAny(hosts, name);
