// The setting ACCESS_KEYS: entries `name:key` or `name:key:scopes`, separated by white space or commas. Scopes are `read`,
// `write` and `exec`, joined by `+`; the default is all three. The name of a key is the principal that owns its sandboxes.

import { SCOPES, type Scope } from "./caller.ts";

export interface AccessKey {
  name: string;
  key: string;
  scopes: ReadonlySet<Scope>;
}

/** Throws an Error whose message identifies the wrong entry by its position, never by its content. */
export function parseAccessKeys(setting: string): AccessKey[] {
  const entries = setting.split(/[\s,]+/).filter((entry) => entry !== "");
  if (entries.length === 0) throw new Error("ACCESS_KEYS has no entries");
  const keys = entries.map((entry, index) => parseEntry(entry, index + 1));
  // Two keys with the same name would share sandboxes by accident.
  const duplicate = keys.findIndex(({ name }, index) => keys.findIndex((other) => other.name === name) < index);
  if (duplicate >= 0) throw new Error(`ACCESS_KEYS entry ${duplicate + 1} has the same name as an earlier one`);
  return keys;
}

function parseEntry(entry: string, position: number): AccessKey {
  const [name, key, scopes, ...rest] = entry.split(":");
  if (name === undefined || !/^[a-z0-9][a-z0-9-]{0,39}$/.test(name)) {
    throw new Error(`ACCESS_KEYS entry ${position} needs a name of at most 40 lower-case letters, digits and "-"`);
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

/** The entry whose key equals the token. The time it takes does not depend on how much of a key matches. */
export async function findAccessKey(keys: AccessKey[], token: string): Promise<AccessKey | null> {
  const expected = await digest(token);
  let found: AccessKey | null = null;
  for (const entry of keys) {
    if (sameBytes(await digest(entry.key), expected)) found = entry;
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
