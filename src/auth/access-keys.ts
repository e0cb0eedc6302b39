// The setting ACCESS_KEYS: entries `name:key` or `name:key:scopes`, separated by white space or commas, where scopes are
// `read`, `write` and `exec` joined by `+` and default to all three. A key's name is the principal that owns its sandboxes.

import { SCOPES, type Scope } from "./caller.ts";

export interface AccessKey {
  name: string;
  key: string;
  scopes: ReadonlySet<Scope>;
}

/** Throws an Error whose message names the faulty entry by its position, never by its content. */
export function parseAccessKeys(setting: string): AccessKey[] {
  const entries = setting.split(/[\s,]+/).filter((entry) => entry !== "");
  if (entries.length === 0) throw new Error("ACCESS_KEYS has no entry");
  const keys = entries.map((entry, index) => parseEntry(entry, index + 1));
  // Two keys of one name would share sandboxes without anybody having said so.
  const twice = keys.findIndex(({ name }, index) => keys.findIndex((other) => other.name === name) < index);
  if (twice >= 0) throw new Error(`ACCESS_KEYS entry ${twice + 1} has the name of an earlier one`);
  return keys;
}

function parseEntry(entry: string, position: number): AccessKey {
  const [name, key, scopes, ...rest] = entry.split(":");
  if (name === undefined || !/^[a-z0-9][a-z0-9-]{0,39}$/.test(name)) {
    throw new Error(`ACCESS_KEYS entry ${position} needs a name of lower-case letters, digits and "-"`);
  }
  if (key === undefined || key === "" || rest.length > 0) {
    throw new Error(`ACCESS_KEYS entry ${position} is not of the form name:key or name:key:scopes`);
  }
  return {
    name,
    key,
    scopes: new Set(scopes === undefined ? SCOPES : scopes.split("+").map((s) => parseScope(s, position))),
  };
}

function parseScope(text: string, position: number): Scope {
  const scope = SCOPES.find((known) => known === `sandbox:${text}`);
  if (scope === undefined) throw new Error(`ACCESS_KEYS entry ${position} has a scope that is not read, write or exec`);
  return scope;
}

/** The entry whose key is the token, in a time that does not depend on how much of a key was right. */
export async function findAccessKey(keys: AccessKey[], token: string): Promise<AccessKey | null> {
  const wanted = await digest(token);
  let found: AccessKey | null = null;
  for (const entry of keys) {
    if (sameBytes(await digest(entry.key), wanted)) found = entry;
  }
  return found;
}

const digest = async (text: string): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (const [index, byte] of a.entries()) difference |= byte ^ (b[index] ?? 0);
  return difference === 0;
}
