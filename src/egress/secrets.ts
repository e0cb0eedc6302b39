// Credentials by host: which header is added to which requests on their way out. The setting EGRESS_SECRETS is a JSON list;
// each entry names a Worker secret, never holds it. See README.md for the form.

import * as z from "zod";
import { matchesHost, normalizeHost, normalizePattern } from "./host-pattern.ts";
import { secretForms } from "./secret-encodings.ts";

export interface EgressSecret {
  host: string;
  path: string;
  /** Null for all. */
  methods: readonly string[] | null;
  /** Null for everybody. */
  principals: readonly string[] | null;
  header: string;
  value: string;
  /** Every form of the credential that an answer might echo. */
  forms: readonly string[];
}

const Entry = z.strictObject({
  host: z.string().transform((host, context) => {
    const pattern = normalizePattern(host);
    if (pattern !== null) return pattern;
    context.addIssue({ code: "custom", message: "is no host" });
    return z.NEVER;
  }),
  path: z.string().startsWith("/").default("/"),
  methods: z.array(z.string().toUpperCase()).nullable().default(null),
  principals: z.array(z.string()).nullable().default(null),
  /** The name of the Worker secret. */
  secret: z.string(),
  scheme: z.enum(["bearer", "basic", "token", "plain"]).default("bearer"),
  /** For `basic`. */
  user: z.string().default("x-access-token"),
  header: z.string().toLowerCase().default("authorization"),
});

/** `env` has the Worker secrets among its entries. */
export function parseSecrets(setting: string | undefined, env: object): EgressSecret[] {
  if (setting === undefined || setting.trim() === "") return [];
  const parsed = z.array(Entry).safeParse(readJson(setting));
  if (!parsed.success) {
    console.error(`EGRESS_SECRETS cannot be read, and no secret is added: ${z.prettifyError(parsed.error)}`);
    return [];
  }
  const values = new Map(
    Object.entries(env).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
  return parsed.data.flatMap((entry) => {
    const value = values.get(entry.secret);
    if (value !== undefined && value !== "") return [secretOf(entry, value)];
    console.error(`EGRESS_SECRETS names the secret ${entry.secret}, which is not set`);
    return [];
  });
}

interface SecretUse {
  url: URL;
  method: string;
  principal: string;
}

/** The most specific one: the longest path, then an exact host before a wildcard. Null where none is to be added. */
export function secretFor(secrets: readonly EgressSecret[], use: SecretUse): EgressSecret | null {
  const { url, method, principal } = use;
  const host = normalizeHost(url.hostname);
  // Never in clear text, and never to a port that somebody else may own.
  if (url.protocol !== "https:" || url.port !== "" || host === null) return null;
  const fitting = secrets.filter(
    (secret) =>
      matchesHost(secret.host, host) &&
      isBelow(url.pathname, secret.path) &&
      (secret.methods === null || secret.methods.includes(method.toUpperCase())) &&
      (secret.principals === null || secret.principals.includes(principal)),
  );
  const [best = null] = fitting.toSorted(
    (a, b) => b.path.length - a.path.length || Number(a.host.startsWith("*")) - Number(b.host.startsWith("*")),
  );
  return best;
}

/** `/org` covers `/org` and `/org/…`, not `/organ`, and no path that leads out of it for a server which undoes escapes. */
function isBelow(path: string, prefix: string): boolean {
  if (prefix === "/") return true;
  const inside = prefix.endsWith("/") ? path.startsWith(prefix) : path === prefix || path.startsWith(`${prefix}/`);
  // Once, as npm needs it for `@scope%2fname`, and again, as some servers do. What is escaped yet more often means harm.
  const plain = unescapeOnce(unescapeOnce(path));
  return inside && !/%[0-9a-f]{2}|[\xc0\xc1]/i.test(plain) && !plain.split(/[/\\]/).some(isDots);
}

const unescapeOnce = (path: string): string =>
  path.replace(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));

/** Also with the parameters that Java's servers take off first, and with what ends a name for C. */
const isDots = (segment: string): boolean => /^\.\.?(?:[;\0]|$)/.test(segment);

function secretOf(entry: z.infer<typeof Entry>, secret: string): EgressSecret {
  const { host, path, methods, principals, header } = entry;
  const pair = base64(`${entry.user}:${secret}`);
  const value = { bearer: `Bearer ${secret}`, token: `token ${secret}`, plain: secret, basic: `Basic ${pair}` }[
    entry.scheme
  ];
  return { host, path, methods, principals, header, value, forms: secretForms(secret) };
}

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
