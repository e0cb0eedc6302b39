// Rewrites the headers of a preview's requests and answers: a development server sees a client on its own host, and no header of
// this server or of Cloudflare passes in either direction.

export interface PreviewAddress {
  /** The port in the machine. */
  port: number;
  /** The preview's own origin, as the browser sees it. */
  origin: URL;
}

/** Never forwarded: credentials of other origins, hop-by-hop headers, and headers that only this server may set. */
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
  // Workers decompress what they forward, so compression in the machine would be wasted work.
  "accept-encoding",
];

/** Cookies of this server, and of Cloudflare in front of it. A browser sends them to every name under the same domain. */
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
  // Development servers compare the Origin of a WebSocket with their own host. The Origin of a form is for the application to
  // judge, which can compare it with X-Forwarded-Host.
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
  // The name of the origin contains the token, which must not reach other sites as a referrer.
  if (!next.has("referrer-policy")) next.set("referrer-policy", "same-origin");
  return next;
}

/** A cookie for the whole domain would reach this server, and other previews. */
const withoutDomain = (cookie: string): string => cookie.replace(/;\s*domain\s*=[^;]*/gi, "");

const localOrigin = (port: number): RegExp =>
  new RegExp(`^https?://(localhost|127\\.0\\.0\\.1|0\\.0\\.0\\.0):${port}(?=[/?#]|$)`, "i");
