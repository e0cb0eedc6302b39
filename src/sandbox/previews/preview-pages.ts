// What the server answers for a preview whose program does not. A navigation gets a small page that reloads; any other request gets JSON.

import { limits } from "../../contract/limits.ts";

/** The same for a token that never existed and one that has expired, so that trying tokens reveals nothing. */
export const noPreview = (): Response =>
  new Response("There is no preview here. It may have been taken back, or have expired.\n", {
    status: 404,
    headers: { "content-type": "text/plain; charset=utf-8", ...plain },
  });

export const portSilent = (request: Request, port: number): Response =>
  waiting(request, 502, `Nothing listens on port ${port} yet`, "This page reloads until something does.");

export const machineStarting = (request: Request): Response =>
  waiting(request, 503, "The machine is starting", "This page reloads until it is up.");

export const machineAsleep = (request: Request): Response =>
  waiting(request, 503, "The machine is asleep", "Any call to its sandbox wakes it. This page reloads until it is up.");

/** `reason` is a sentence for the person who develops the program. */
export const previewFault = (status: number, reason: string): Response =>
  Response.json({ error: reason }, { status, headers: plain });

const plain = { "cache-control": "no-store", "x-robots-tag": "noindex" };

function waiting(request: Request, status: number, title: string, text: string): Response {
  const seconds = limits.previewReloadMs / 1_000;
  const headers = { ...plain, "retry-after": String(seconds) };
  if (!isNavigation(request)) return Response.json({ error: title }, { status, headers });
  return new Response(page(title, text, seconds), {
    status,
    headers: {
      ...headers,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    },
  });
}

/** A submitted form must not be answered by a page that reloads without it. */
const isNavigation = (request: Request): boolean =>
  (request.method === "GET" || request.method === "HEAD") &&
  (request.headers.get("accept") ?? "").includes("text/html");

const page = (title: string, text: string, seconds: number): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="${seconds}"><title>${title}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;margin:20vh auto;max-width:26rem;padding:0 1rem;color:#444}h1{font-size:1.2rem;color:#111}
@media(prefers-color-scheme:dark){body{background:#111;color:#aaa}h1{color:#eee}}</style></head>
<body><h1>${title}</h1><p>${text}</p></body></html>
`;
