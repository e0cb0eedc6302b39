// A request to a preview's own origin: token → sandbox, which answers it. Nothing of the MCP server is reachable from here.

import type { Env } from "../config/env.ts";
import { DurablePreviewDirectory } from "../sandbox/previews/preview-directory.ts";
import { parsePreviewLabel } from "../sandbox/previews/preview-label.ts";
import { noPreview } from "../sandbox/previews/preview-pages.ts";

/** `label` is what stands before the preview domain in the host name. */
export async function answerPreview(request: Request, env: Env, label: string): Promise<Response> {
  const preview = parsePreviewLabel(label);
  if (preview === null) return noPreview();
  const sandbox = await findSandbox(env, preview.token);
  if (sandbox === null) return noPreview();
  return env.SANDBOX.getByName(sandbox).fetch(request);
}

/** Tokens that were found, the oldest first. A revoked one may stay: the sandbox refuses it. */
const found = new Map<string, string>();
const foundMax = 1_000;

async function findSandbox(env: Env, token: string): Promise<string | null> {
  const known = found.get(token);
  if (known !== undefined) return known;
  const sandbox = await new DurablePreviewDirectory(env.PREVIEW).find(token);
  if (sandbox === null) return null;
  if (found.size >= foundMax) found.delete(found.keys().next().value ?? "");
  found.set(token, sandbox);
  return sandbox;
}
