// The methods that one run may call: those of the deployment's providers, narrowed by the caller's scopes and then by
// `tools`.

import type { Scope } from "../auth/caller.ts";
import { limits } from "../contract/limits.ts";
import { fail, type Result, succeed } from "../contract/result.ts";
import { truncate } from "../format/truncate.ts";
import type { Method, Provider } from "./providers/provider.ts";

export interface Grants {
  /** The granted methods by full name, such as "sandbox.exec". */
  methods: ReadonlyMap<string, Method>;
  /** The providers with at least one granted method. */
  providers: readonly Provider[];
}

export function resolveGrants(
  providers: readonly Provider[],
  scopes: ReadonlySet<Scope>,
  tools: readonly string[] | null,
): Result<Grants> {
  const allowed = new Map<string, Method>();
  for (const { name, methods } of providers) {
    for (const [method, definition] of Object.entries(methods)) {
      if (scopes.has(definition.scope)) allowed.set(`${name}.${method}`, definition);
    }
  }
  if (tools === null) return succeed({ methods: allowed, providers: withMethods(providers, allowed) });
  const methods = new Map<string, Method>();
  for (const tool of tools) {
    const prefix = `${tool.replace(/\.\*$/, "")}.`;
    const named = [...allowed].filter(([name]) => name === tool || name.startsWith(prefix));
    if (named.length === 0) {
      const message = `There is no "${truncate(tool, limits.echoMaxChars)}" to grant. The methods are: ${[...allowed.keys()].join(", ")}.`;
      return fail({ reason: "invalid_request", message });
    }
    for (const [name, method] of named) methods.set(name, method);
  }
  return succeed({ methods, providers: withMethods(providers, methods) });
}

const withMethods = (providers: readonly Provider[], methods: ReadonlyMap<string, Method>): Provider[] =>
  providers.filter(({ name }) => [...methods.keys()].some((full) => full.startsWith(`${name}.`)));

/** The names of the granted methods of each provider. */
export function grantedNames({ methods, providers }: Grants): Record<string, string[]> {
  return Object.fromEntries(
    providers.map((provider) => [
      provider.name,
      Object.keys(provider.methods).filter((method) => methods.has(`${provider.name}.${method}`)),
    ]),
  );
}
