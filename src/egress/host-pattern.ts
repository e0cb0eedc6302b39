// Hosts as policies name them: an exact name, an IP literal, or `*.example.com`, which covers the domain and all below it.

/** Lower case, without the dot of the root and without the brackets of IPv6; null for what is no host. */
export function normalizeHost(text: string): string | null {
  const trimmed = text.trim().toLowerCase().replace(/\.$/, "");
  const bracketed = trimmed.includes(":") && !trimmed.startsWith("[") ? `[${trimmed}]` : trimmed;
  // A URL reads hosts as programs do: `0x7f.1` is an address, and so is `2130706433`.
  if (!/^[^\s/?#@\\:%]+$|^\[[0-9a-f:.]+\]$/.test(bracketed) || !URL.canParse(`http://${bracketed}/`)) return null;
  return new URL(`http://${bracketed}/`).hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

/** What a list may hold; null for anything else. */
export function normalizePattern(text: string): string | null {
  const wild = text.trim().startsWith("*.");
  const host = normalizeHost(wild ? text.trim().slice(2) : text);
  if (host === null || host.includes("*") || (wild && isAddress(host))) return null;
  return wild ? `*.${host}` : host;
}

/** Both normalized. */
export function matchesHost(pattern: string, host: string): boolean {
  if (!pattern.startsWith("*.")) return pattern === host;
  const domain = pattern.slice(2);
  return host === domain || host.endsWith(`.${domain}`);
}

export const matchesAny = (patterns: readonly string[], host: string): boolean =>
  patterns.some((pattern) => matchesHost(pattern, host));

/** Of a normalized host: whether it is an IP literal. */
export const isAddress = (host: string): boolean => host.includes(":") || /^\d+\.\d+\.\d+\.\d+$/.test(host);
