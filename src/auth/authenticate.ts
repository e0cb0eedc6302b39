// Resolves a request to its Caller, or to the response that says what is missing. Callers present an access key; without
// configured keys every request is refused.

import { type Access, findAccessKey } from "./access-keys.ts";
import type { Caller, Scope } from "./caller.ts";
import { clientAddress } from "./client-address.ts";
import { WrongKeys } from "./wrong-keys.ts";

const wrongKeys = new WrongKeys();

export async function authenticate(request: Request, access: Access): Promise<Caller | Response> {
  if ("problem" in access) return refuse(503, access.problem, null);
  const token = bearerToken(request);
  // RFC 6750, section 3.1: without credentials the challenge carries no error code.
  if (token === null) return refuse(401, "Send the access key as `Authorization: Bearer <key>`", "Bearer");
  const address = clientAddress(request.headers);
  // Users of one host share its loopback address, so there a wrong key never keeps the right one from being read.
  if (address !== null && wrongKeys.waitMs(address) > 0) return refuseFor(wrongKeys.waitMs(address));
  const key = await findAccessKey(access.keys, token);
  if (key === null) return refuseWrongKey(address ?? "this host");
  const scopes = narrowScopes(key.scopes, new URL(request.url).searchParams.get("scope"));
  if (scopes === null)
    return refuse(400, 'The scope in the URL must be "read", "write" or "exec", or several joined by "+"', null);
  return { principal: key.name, scopes };
}

function bearerToken(request: Request): string | null {
  const match = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "");
  return match?.[1] ?? null;
}

/**
 * The scopes that `?scope=` in the URL also names: it narrows a connection and never widens it. Null for an unknown scope.
 */
function narrowScopes(scopes: ReadonlySet<Scope>, requested: string | null): ReadonlySet<Scope> | null {
  if (requested === null) return scopes;
  const names = requested.split(/[+ ,]/);
  if (!names.every((name) => ["read", "write", "exec"].includes(name))) return null;
  return new Set([...scopes].filter((scope) => names.includes(scope.slice("sandbox:".length))));
}

function refuseWrongKey(address: string): Response {
  const waitMs = wrongKeys.waitMs(address);
  if (waitMs > 0) return refuseFor(waitMs);
  wrongKeys.add(address);
  return refuse(401, "The access key is not known to this server", 'Bearer error="invalid_token"');
}

function refuseFor(waitMs: number): Response {
  const seconds = Math.ceil(waitMs / 1_000);
  const response = refuse(429, `Too many wrong access keys were sent; send the right one in ${seconds} s`, null);
  response.headers.set("Retry-After", String(seconds));
  return response;
}

function refuse(status: number, message: string, challenge: string | null): Response {
  const headers = new Headers(challenge === null ? {} : { "WWW-Authenticate": challenge });
  return Response.json({ error: message }, { status, headers });
}
