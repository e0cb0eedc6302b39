// The setting ACCESS_KEYS: entries `name:key` or `name:key:scopes`, separated by white space or commas. Scopes are `read`,
// `write` and `exec`, joined by `+`; the default is all three. The name of a key is the principal that owns its sandboxes. A
// principal may have several keys, each under a label of its own: `name/label:key`.

import { limits } from "../contract/limits.ts";
import { SCOPES, type Scope } from "./caller.ts";

export interface AccessKey {
  /** The principal. */
  name: string;
  /** Distinguishes the keys of one principal; "" for a key without a label. */
  label: string;
  key: string;
  scopes: ReadonlySet<Scope>;
}

/** The keys of this server, or why nobody may call it. */
export type Access = { keys: AccessKey[] } | { problem: string };

/** Throws an Error whose message identifies the wrong entry by its position, never by its content. */
export function parseAccessKeys(setting: string): AccessKey[] {
  const entries = setting.split(/[\s,]+/).filter((entry) => entry !== "");
  if (entries.length === 0) throw new Error("ACCESS_KEYS has no entries");
  const keys = entries.map((entry, index) => parseEntry(entry, index + 1));
  for (const [index, entry] of keys.entries()) checkAgainst(keys.slice(0, index), entry, index + 1);
  return keys;
}

function checkAgainst(earlier: readonly AccessKey[], { name, label, key }: AccessKey, position: number): void {
  // The request would not say which of the two is calling.
  if (earlier.some((other) => other.key === key)) {
    throw new Error(`ACCESS_KEYS entry ${position} has the same key as an earlier one; give each its own`);
  }
  // Two people of the same name would share sandboxes by accident. A label says that it is on purpose.
  if (earlier.some((other) => other.name === name && other.label === label)) {
    throw new Error(
      `ACCESS_KEYS entry ${position} has the same name as an earlier one; for several keys of one principal, add a label to each: name/label:key`,
    );
  }
}

function parseEntry(entry: string, position: number): AccessKey {
  const [owner = "", key, scopes, ...rest] = entry.split(":");
  const [, name, label = ""] = /^([a-z0-9][a-z0-9-]{0,39})(?:\/([a-z0-9][a-z0-9-]{0,39}))?$/.exec(owner) ?? [];
  if (name === undefined) {
    throw new Error(
      `ACCESS_KEYS entry ${position} needs a name (and a label after "/", if any) of at most 40 lower-case letters, digits and "-"`,
    );
  }
  if (key === undefined || key === "" || rest.length > 0) {
    throw new Error(`ACCESS_KEYS entry ${position} is not of the form name:key or name:key:scopes`);
  }
  if (key.length < limits.accessKeyMinChars) {
    throw new Error(
      `ACCESS_KEYS entry ${position} has a key of fewer than ${limits.accessKeyMinChars} characters; make one with: openssl rand -hex 24`,
    );
  }
  return {
    name,
    label,
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
