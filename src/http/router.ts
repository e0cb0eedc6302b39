// The routes and the one top-level catch. Requests to a preview's host name are separated first. All other requests pass the
// Host and Origin checks, then CORS preflight, then their route. An error that reaches the catch is a bug, so its message
// goes only to the log.

import { authenticate } from "../auth/authenticate.ts";
import type { Caller } from "../auth/caller.ts";
import { allows, requirements } from "../auth/requirements.ts";
import type { Env } from "../config/env.ts";
import { resolveSettings, type Settings } from "../config/settings.ts";
import { isolateNetwork } from "../egress/outbound.ts";
import { providersOf } from "../isolate/providers/index.ts";
import { workerIsolates } from "../isolate/worker-isolates.ts";
import { answerMcp } from "../mcp/endpoint.ts";
import { durableSandboxes, durableState, durableTransfers, type SandboxOwner } from "../sandbox/durable-sandboxes.ts";
import { objectName } from "../sandbox/object-name.ts";
import { labelUnder } from "../sandbox/previews/preview-label.ts";
import { allowOrigin, preflight } from "./cors.ts";
import { drainBody } from "./drain-body.ts";
import { answerFiles, FILES_PREFIX } from "./files-route.ts";
import { answerPreview } from "./preview-route.ts";

export async function handleRequest(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
  const response = await answerRequest(request, env, context);
  if (response.status >= 400) await drainBody(request.body);
  return response;
}

async function answerRequest(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
  try {
    const settings = resolveSettings(env);
    const label = previewLabel(request, settings);
    if (label !== null) return await answerPreview(request, env, label);
    const rejection = rejectForeign(request, settings.hosts);
    if (rejection !== null) return rejection;
    if (request.method === "OPTIONS") return preflight(request);
    return allowOrigin(request, await route(request, env, context, settings));
  } catch (error) {
    console.error(error);
    return Response.json({ error: "The server failed; try again" }, { status: 500 });
  }
}

async function route(request: Request, env: Env, context: ExecutionContext, settings: Settings): Promise<Response> {
  const { origin, pathname } = new URL(request.url);
  if (pathname.startsWith(FILES_PREFIX)) {
    const caller = await authenticate(request, settings.access);
    if (caller instanceof Response) return caller;
    return answerFiles(request, { caller, openTransfer: durableTransfers(env.SANDBOX, ownerOf(caller)) });
  }
  switch (pathname) {
    case "/health":
      return Response.json({ status: "ok" });
    case "/mcp": {
      const caller = await authenticate(request, settings.access);
      if (caller instanceof Response) return caller;
      const sandboxes = durableSandboxes(env, ownerOf(caller), previewUrls(request, settings));
      const detach = (work: Promise<unknown>) => context.waitUntil(work);
      const isolates = workerIsolates({
        codeRunner: context.exports.CodeRunner,
        providers: providersOf(env),
        principal: caller.principal,
        scopes: caller.scopes,
        openSandbox: (name) => sandboxes.open(name),
        openState: durableState(env.SANDBOX, caller.principal),
        openNetwork: (name) => isolateNetwork(env, objectName({ principal: caller.principal, name })),
        detach,
      });
      return answerMcp(request, { caller, sandboxes, isolates, origin, hosts: settings.hosts, detach });
    }
    default:
      return Response.json({ error: "Not found. The MCP endpoint is /mcp" }, { status: 404 });
  }
}

const ownerOf = ({ principal, scopes }: Caller): SandboxOwner => ({
  principal,
  mayCreate: allows(scopes, requirements.sandboxes.create),
});

/** The part of the request's host name before the preview domain; null for this server's own host names and all others. */
function previewLabel(request: Request, { hosts, previews }: Settings): string | null {
  const host = hostName(request.url);
  return previews === null || host === null || hosts.has(host) ? null : labelUnder(previews.hostname, host);
}

function previewUrls(request: Request, { previews }: Settings): ((label: string) => string) | null {
  const { protocol } = new URL(request.url);
  return previews === null ? null : (label) => `${protocol}//${label}.${previews.host}/`;
}

/** Refuses pages of other sites, and host names that were rebound to this address (DNS rebinding). */
function rejectForeign(request: Request, hosts: ReadonlySet<string>): Response | null {
  const host = hostName(`http://${request.headers.get("host") ?? new URL(request.url).host}`);
  if (host === null || !hosts.has(host)) {
    return Response.json(
      { error: "This server does not serve that host name; add it to the setting ALLOWED_HOSTS to allow it" },
      { status: 403 },
    );
  }
  const origin = request.headers.get("origin");
  if (origin === null) return null;
  // A page of an extension or an app may have any host name in its origin.
  const originHost = /^https?:/i.test(origin) ? hostName(origin) : null;
  if (originHost !== null && hosts.has(originHost)) return null;
  return Response.json(
    { error: "Requests from that origin are refused; add its host name to the setting ALLOWED_HOSTS to allow them" },
    { status: 403 },
  );
}

const hostName = (url: string): string | null => (URL.canParse(url) ? new URL(url).hostname.toLowerCase() : null);
