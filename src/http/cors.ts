// CORS for browser clients such as the MCP Inspector. The router has already checked the origin. A preflight carries no
// credentials.

const allowedHeaders = [
  "authorization",
  "content-type",
  "accept",
  "mcp-protocol-version",
  "mcp-session-id",
  "mcp-method",
  "mcp-name",
  "last-event-id",
  "range",
  "if-range",
  "if-match",
  "if-none-match",
  "traceparent",
  "tracestate",
];

export function preflight(request: Request): Response {
  // Mcp-Param-* headers carry tool arguments (MCP 2026-07-28), so their names are not known in advance.
  const requested = (request.headers.get("access-control-request-headers") ?? "").toLowerCase().split(/\s*,\s*/);
  const parameterHeaders = requested.filter((name) => /^mcp-param-[a-z0-9_-]+$/.test(name));
  return allowOrigin(
    request,
    new Response(null, {
      status: 204,
      headers: {
        "Access-Control-Allow-Methods": "GET, POST, PUT, OPTIONS",
        "Access-Control-Allow-Headers": [...allowedHeaders, ...parameterHeaders].join(", "),
        "Access-Control-Max-Age": "86400",
      },
    }),
  );
}

export function allowOrigin(request: Request, response: Response): Response {
  const origin = request.headers.get("origin");
  if (origin === null) return response;
  const headers = new Headers(response.headers);
  headers.set("Access-Control-Allow-Origin", origin);
  headers.set(
    "Access-Control-Expose-Headers",
    "WWW-Authenticate, Retry-After, mcp-session-id, ETag, Content-Range, Accept-Ranges",
  );
  headers.append("Vary", "Origin");
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
