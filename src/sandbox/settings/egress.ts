// Which hosts a sandbox may reach: a preset, and lists beside it. EGRESS_CEILING, a setting of the deployment, bounds it; src/egress
// decides by it.

import * as z from "zod";
import { limits } from "../../contract/limits.ts";
import { fail, type Result, succeed } from "../../contract/result.ts";
import { normalizePattern } from "../../egress/host-pattern.ts";
import { EgressPolicy, judge } from "../../egress/policy.ts";
import { PRESETS } from "../../egress/presets.ts";
import type { SettingBounds, SettingDescription, SettingGroup } from "./group.ts";

/** `allow` and `deny` add to the lists; `-host` removes a host from one. */
const Change = z.object({
  egress: z.string().optional(),
  allow: z.array(z.string()).optional(),
  deny: z.array(z.string()).optional(),
});

const initial: EgressPolicy = { preset: null, allow: [], deny: [] };

export const egress: SettingGroup<EgressPolicy, typeof Change> = {
  initial,
  stored: EgressPolicy,
  change: Change,
  apply,
  describe,
};

function apply(stored: EgressPolicy, change: z.infer<typeof Change>, bounds: SettingBounds): Result<EgressPolicy> {
  const preset = applyPreset(stored, change.egress);
  if (!preset.ok) return preset;
  const allow = applyList(preset.value.allow, change.allow ?? [], "allow");
  if (!allow.ok) return allow;
  const deny = applyList(preset.value.deny, change.deny ?? [], "deny");
  if (!deny.ok) return deny;
  const added = allow.value.filter((pattern) => !stored.allow.includes(pattern));
  const beyond = added.find((pattern) => !isWithin(pattern, bounds));
  if (beyond !== undefined) return refuse(`allow has "${beyond}", which this deployment never lets a sandbox reach.`);
  return succeed({ preset: preset.value.preset, allow: allow.value, deny: deny.value });
}

function applyPreset(stored: EgressPolicy, word: string | undefined): Result<EgressPolicy> {
  if (word === undefined) return succeed(stored);
  if (word === "default") return succeed(initial);
  const preset = PRESETS.find((name) => name === word);
  if (preset !== undefined) return succeed({ ...stored, preset });
  return refuse(`egress is "${word}"; give one of ${PRESETS.join(", ")}, or "default", which also empties both lists.`);
}

function applyList(stored: readonly string[], changes: readonly string[], name: string): Result<string[]> {
  const next = new Set(stored);
  for (const change of changes) {
    const removes = change.startsWith("-");
    const pattern = normalizePattern(removes ? change.slice(1) : change);
    if (pattern === null)
      return refuse(
        `${name} has "${change}"; give host names such as "example.com" or "*.example.com", without scheme, port and path.`,
      );
    if (removes) next.delete(pattern);
    else next.add(pattern);
  }
  if (next.size <= limits.egressHostsMax) return succeed([...next]);
  return fail({
    reason: "quota_exceeded",
    subject: `hosts that a sandbox lists in ${name}`,
    limit: limits.egressHostsMax,
    advice: 'Use a wildcard such as "*.example.com", or remove some with "-host".',
  });
}

/** A wildcard is judged by its domain. */
function isWithin(pattern: string, { egress }: SettingBounds): boolean {
  const host = pattern.replace(/^\*\./, "");
  return judge({ host, port: 443 }, { preset: "internet", allow: [host], deny: [] }, egress).allowed;
}

function describe(policy: EgressPolicy, { egress: bounds }: SettingBounds): SettingDescription[] {
  const ceiling = [bounds.ceiling.preset, ...bounds.ceiling.hosts].join(", ");
  return [
    {
      name: "egress",
      value: policy.preset ?? bounds.default,
      remark: ceiling === "internet" ? null : `this deployment allows at most: ${ceiling}`,
    },
    ...(policy.allow.length === 0 ? [] : [{ name: "allow", value: policy.allow.join(", "), remark: null }]),
    ...(policy.deny.length === 0 ? [] : [{ name: "deny", value: policy.deny.join(", "), remark: null }]),
  ];
}

const refuse = (message: string): Result<never> => fail({ reason: "invalid_request", message });
