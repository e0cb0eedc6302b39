// Requests to the origin of a preview. The token in the host name leads to the sandbox, which answers the request. No route
// of the MCP server is reachable here.

import type { Env } from "../config/env.ts";
import { DurablePreviewDirectory } from "../sandbox/previews/preview-directory.ts";
import { parsePreviewLabel } from "../sandbox/previews/preview-label.ts";
import { noPreview } from "../sandbox/previews/preview-pages.ts";

/** `label` is the part of the host name before the preview domain. */
export async function answerPreview(request: Request, env: Env, label: string): Promise<Response> {
  const preview = parsePreviewLabel(label);
  if (preview === null) return noPreview();
  const sandbox = await findSandbox(env, preview.token);
  if (sandbox === null) return noPreview();
  return env.SANDBOX.getByName(sandbox).fetch(request);
}

/** A cache from token to sandbox name, oldest first. A revoked token may stay in it, because the sandbox refuses it. */
const cache = new Map<string, string>();
const cacheMax = 1_000;

async function findSandbox(env: Env, token: string): Promise<string | null> {
  const known = cache.get(token);
  if (known !== undefined) return known;
  const sandbox = await new DurablePreviewDirectory(env.PREVIEW).find(token);
  if (sandbox === null) return null;
  if (cache.size >= cacheMax) cache.delete(cache.keys().next().value ?? "");
  cache.set(token, sandbox);
  return sandbox;
}
