// Credentials by host: which header is added to which outgoing requests. The setting EGRESS_SECRETS is a JSON list; each
// entry names a Worker secret and never contains one. README.md describes the format.

import * as z from "zod";
import { matchesHost, normalizeHost, normalizePattern } from "./host-pattern.ts";
import { secretEncodings } from "./secret-encodings.ts";

export interface EgressSecret {
  /** A normalized pattern (host-pattern.ts). */
  host: string;
  path: string;
  /** In upper case; null means every method. */
  methods: readonly string[] | null;
  /** Null means every principal. */
  principals: readonly string[] | null;
  header: string;
  value: string;
  /** Every encoding of the credential that a response might echo. */
  encodings: readonly string[];
}

const Entry = z.strictObject({
  host: z.string().transform((host, context) => {
    const pattern = normalizePattern(host);
    if (pattern !== null) return pattern;
    context.addIssue({ code: "custom", message: "is not a host" });
    return z.NEVER;
  }),
  path: z.string().startsWith("/").default("/"),
  methods: z.array(z.string().toUpperCase()).nullable().default(null),
  principals: z.array(z.string()).nullable().default(null),
  /** The name of the Worker secret. */
  secret: z.string(),
  scheme: z.enum(["bearer", "basic", "token", "plain"]).default("bearer"),
  /** The user name of the scheme `basic`. */
  user: z.string().default("x-access-token"),
  header: z.string().toLowerCase().default("authorization"),
});

/** `env` has the Worker secrets among its entries. A setting that cannot be read adds no secret and is logged. */
export function parseSecrets(setting: string | undefined, env: object): EgressSecret[] {
  if (setting === undefined || setting.trim() === "") return [];
  const parsed = z.array(Entry).safeParse(readJson(setting));
  if (!parsed.success) {
    console.error(`EGRESS_SECRETS cannot be read, so no secret is added: ${z.prettifyError(parsed.error)}`);
    return [];
  }
  const values = new Map(
    Object.entries(env).flatMap(([name, value]) => (typeof value === "string" ? [[name, value.trim()]] : [])),
  );
  return parsed.data.flatMap((entry) => {
    const value = values.get(entry.secret) ?? "";
    if (IN_A_HEADER.test(value)) return [toSecret(entry, value)];
    const fault = value === "" ? "is not set" : "contains a line break or another character that no header may have";
    console.error(`EGRESS_SECRETS names the secret ${entry.secret}, which ${fault}`);
    return [];
  });
}

/** redact.ts relies on it that no secret contains a line break. */
const IN_A_HEADER = /^[^\p{Cc}]+$/u;

interface SecretUse {
  url: URL;
  method: string;
  principal: string;
}

/** The most specific match: the longest path, then an exact host before a wildcard. Null when no secret applies. */
export function secretFor(secrets: readonly EgressSecret[], use: SecretUse): EgressSecret | null {
  const { url, method, principal } = use;
  const host = normalizeHost(url.hostname);
  // A secret is never sent in clear text, nor to another port, where a different owner's service may listen.
  if (url.protocol !== "https:" || url.port !== "" || host === null) return null;
  const matching = secrets.filter(
    (secret) =>
      matchesHost(secret.host, host) &&
      isBelow(url.pathname, secret.path) &&
      (secret.methods === null || secret.methods.includes(method.toUpperCase())) &&
      (secret.principals === null || secret.principals.includes(principal)),
  );
  const [best = null] = matching.toSorted(
    (a, b) => b.path.length - a.path.length || Number(a.host.startsWith("*")) - Number(b.host.startsWith("*")),
  );
  return best;
}

/** `/org` covers `/org` and `/org/…` but not `/organ`, and no path that leaves `/org` once a server decodes its escapes. */
function isBelow(path: string, prefix: string): boolean {
  if (prefix === "/") return true;
  const isInside = prefix.endsWith("/") ? path.startsWith(prefix) : path === prefix || path.startsWith(`${prefix}/`);
  // Decoded once, as npm needs for `@scope%2fname`, and again, as some servers do. Only an attack escapes more often than
  // that.
  const decoded = decodeEscapes(decodeEscapes(path));
  return isInside && !/%[0-9a-f]{2}|[\xc0\xc1]/i.test(decoded) && !decoded.split(/[/\\]/).some(isDotSegment);
}

const decodeEscapes = (path: string): string =>
  path.replace(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));

/** Also `..;a=b`, whose parameters Java servers strip, and `..` before a NUL, which ends a string in C. */
const isDotSegment = (segment: string): boolean => /^\.\.?(?:[;\0]|$)/.test(segment);

function toSecret(entry: z.infer<typeof Entry>, secret: string): EgressSecret {
  const { host, path, methods, principals, header } = entry;
  const pair = base64(`${entry.user}:${secret}`);
  const value = { bearer: `Bearer ${secret}`, token: `token ${secret}`, plain: secret, basic: `Basic ${pair}` }[
    entry.scheme
  ];
  return { host, path, methods, principals, header, value, encodings: secretEncodings(secret) };
}

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
