// Hosts as policies write them: an exact name, an IP literal, or `*.example.com`, which covers the domain and all its
// subdomains.

/**
 * The host in lower case, without the root's trailing dot and without the brackets of IPv6; null for text that is not a host.
 * IPv4 addresses in unusual spellings come out in four decimal parts.
 */
export function normalizeHost(text: string): string | null {
  const trimmed = text.trim().toLowerCase().replace(/\.$/, "");
  const bracketed = trimmed.includes(":") && !trimmed.startsWith("[") ? `[${trimmed}]` : trimmed;
  // The URL parser reads hosts as clients do: `0x7f.1` and `2130706433` are both 127.0.0.1.
  if (!/^[^\s/?#@\\:%]+$|^\[[0-9a-f:.]+\]$/.test(bracketed) || !URL.canParse(`http://${bracketed}/`)) return null;
  return new URL(`http://${bracketed}/`).hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

/** An entry of an allow or deny list in normal form; null for text that cannot be one. */
export function normalizePattern(text: string): string | null {
  const isWildcard = text.trim().startsWith("*.");
  const host = normalizeHost(isWildcard ? text.trim().slice(2) : text);
  if (host === null || host.includes("*") || (isWildcard && isAddress(host))) return null;
  return isWildcard ? `*.${host}` : host;
}

/** Both arguments are in normal form. */
export function matchesHost(pattern: string, host: string): boolean {
  if (!pattern.startsWith("*.")) return pattern === host;
  const domain = pattern.slice(2);
  return host === domain || host.endsWith(`.${domain}`);
}

export const matchesAny = (patterns: readonly string[], host: string): boolean =>
  patterns.some((pattern) => matchesHost(pattern, host));

/** Whether a normalized host is an IP literal. */
export const isAddress = (host: string): boolean => host.includes(":") || /^\d+\.\d+\.\d+\.\d+$/.test(host);
