// The headers of a preview's request and answer, rewritten: a dev server sees a client of its own host, and nothing that
// belongs to this server or to Cloudflare gets to it, or comes back from it.

export interface PreviewAddress {
  /** In the machine. */
  port: number;
  /** The preview's own origin, as the browser has it. */
  origin: URL;
}

/** Never handed on: other origins' credentials, hop-by-hop headers, and what only this side may say. */
const dropped = [
  "authorization",
  "proxy-authorization",
  "connection",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "forwarded",
  "x-real-ip",
  // Workers decode what they pass on, so that compressing it in the machine is work for nothing.
  "accept-encoding",
];

/** Cookies of this server, and of Cloudflare in front of it, which a browser also sends to names under the same domain. */
const ownCookie = /^(__host-|__secure-)?(cf_|__cf|sandbox[-_]mcp)/i;

export function requestHeaders(headers: Headers, { port, origin }: PreviewAddress): Headers {
  const own = (name: string) => dropped.includes(name) || name.startsWith("cf-") || name.startsWith("x-forwarded-");
  const next = new Headers([...headers].filter(([name]) => !own(name)));
  next.set("host", `localhost:${port}`);
  next.set("x-forwarded-host", origin.host);
  next.set("x-forwarded-proto", origin.protocol.slice(0, -1));
  const client = headers.get("cf-connecting-ip");
  if (client !== null) next.set("x-forwarded-for", client);
  const cookies = keptCookies(headers.get("cookie") ?? "");
  if (cookies === "") next.delete("cookie");
  else next.set("cookie", cookies);
  // Dev servers hold the Origin of a WebSocket against their own host. That of a form is for the application to judge, which
  // has X-Forwarded-Host to compare it with.
  if (next.get("upgrade") !== null && next.get("origin") === origin.origin)
    next.set("origin", `http://localhost:${port}`);
  return next;
}

const keptCookies = (cookies: string): string =>
  cookies
    .split(/;\s*/)
    .filter((cookie) => cookie !== "" && !ownCookie.test(cookie))
    .join("; ");

export function responseHeaders(headers: Headers, { port, origin }: PreviewAddress): Headers {
  const next = new Headers(
    [...headers].filter(
      ([name]) => !name.startsWith("cf-") && !["set-cookie", "alt-svc", "connection", "keep-alive"].includes(name),
    ),
  );
  for (const cookie of headers.getSetCookie()) {
    if (!ownCookie.test(cookie)) next.append("set-cookie", withoutDomain(cookie));
  }
  const location = headers.get("location");
  if (location !== null) next.set("location", location.replace(localOrigin(port), origin.origin));
  next.set("x-robots-tag", "noindex");
  // The origin's name holds the token, and must not reach other sites as a referrer.
  if (!next.has("referrer-policy")) next.set("referrer-policy", "same-origin");
  return next;
}

/** A cookie for the whole domain would reach this server, and other previews. */
const withoutDomain = (cookie: string): string => cookie.replace(/;\s*domain\s*=[^;]*/gi, "");

const localOrigin = (port: number): RegExp =>
  new RegExp(`^https?://(localhost|127\\.0\\.0\\.1|0\\.0\\.0\\.0):${port}(?=[/?#]|$)`, "i");
