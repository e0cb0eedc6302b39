// Request → Caller, or the response that says what is missing. Access is by key; without keys nobody gets in.

import type { Settings } from "../config/settings.ts";
import { findAccessKey } from "./access-keys.ts";
import type { Caller, Scope } from "./caller.ts";

export async function authenticate(request: Request, settings: Settings): Promise<Caller | Response> {
  if ("problem" in settings.access) return refuse(503, settings.access.problem, null);
  const token = bearerToken(request);
  // RFC 6750, section 3.1: without credentials the challenge carries no error code.
  if (token === null) return refuse(401, "Send the access key as `Authorization: Bearer <key>`", "Bearer");
  const key = await findAccessKey(settings.access.keys, token);
  if (key === null) return refuse(401, "The access key is not known to this server", 'Bearer error="invalid_token"');
  const scopes = narrow(key.scopes, new URL(request.url).searchParams.get("scope"));
  if (scopes === null)
    return refuse(400, 'The scope in the URL must be "read", "write" or "exec", or several joined by "+"', null);
  return { principal: key.name, scopes };
}

function bearerToken(request: Request): string | null {
  const match = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "");
  return match?.[1] ?? null;
}

/** `?scope=read` on the URL narrows a connection and never widens it; null for a scope that is not known. */
function narrow(scopes: ReadonlySet<Scope>, wanted: string | null): ReadonlySet<Scope> | null {
  if (wanted === null) return scopes;
  const names = wanted.split(/[+ ,]/);
  if (!names.every((name) => ["read", "write", "exec"].includes(name))) return null;
  return new Set([...scopes].filter((scope) => names.includes(scope.slice("sandbox:".length))));
}

function refuse(status: number, message: string, challenge: string | null): Response {
  const headers = new Headers(challenge === null ? {} : { "WWW-Authenticate": challenge });
  return Response.json({ error: message }, { status, headers });
}
