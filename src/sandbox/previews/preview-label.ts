// The host name of a preview: `<port>-<token>` under the deployment's preview domain. The token is 130 random bits.

export interface PreviewLabel {
  port: number;
  token: string;
}

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";

/** 26 characters of base32, so that port and token fit into one label of a host name, which has no upper case. */
export const newPreviewToken = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(26)), (byte) => alphabet[byte % 32]).join("");

export const formatPreviewLabel = ({ port, token }: PreviewLabel): string => `${port}-${token}`;

/** Null for a label that no preview can have. */
export function parsePreviewLabel(label: string): PreviewLabel | null {
  const [, port, token] = /^([1-9]\d{0,4})-([a-z2-7]{26})$/.exec(label) ?? [];
  if (port === undefined || token === undefined || Number(port) > 65_535) return null;
  return { port: Number(port), token };
}

/** The part of a host name that stands before the domain. Null when the name is not under the domain. Both are without a port. */
export function labelUnder(domain: string, hostname: string): string | null {
  const name = hostname.toLowerCase();
  return name.endsWith(`.${domain}`) ? name.slice(0, -domain.length - 1) : null;
}
