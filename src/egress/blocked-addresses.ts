// The hosts that no policy can allow: names and addresses that lead to this host itself, to private networks, or to the
// metadata service of a cloud. This file judges the host that a request names; the addresses that a name resolves to are
// checked by the runtime when it connects.

import ipaddr from "ipaddr.js";
import { isAddress } from "./host-pattern.ts";

/** Takes a normalized host (host-pattern.ts). */
export function isBlockedHost(host: string): boolean {
  if (isAddress(host)) return isBlockedAddress(host);
  return !host.includes(".") || BLOCKED_NAMES.some((name) => host === name || host.endsWith(`.${name}`));
}

const BLOCKED_NAMES = ["localhost", "local", "internal", "lan", "home.arpa", "localdomain", "invalid", "onion"];

/** Takes an IPv4 address in four decimal parts or an IPv6 address in any spelling. Text that is neither is blocked too. */
export function isBlockedAddress(text: string): boolean {
  if (!text.includes(":")) return !isDecimalV4(text) || isBlockedV4(ipaddr.IPv4.parse(text));
  const lastPart = text.slice(text.lastIndexOf(":") + 1);
  return (
    !ipaddr.IPv6.isValid(text) ||
    (lastPart.includes(".") && !isDecimalV4(lastPart)) ||
    isBlockedV6(ipaddr.IPv6.parse(text))
  );
}

/** No leading zeros, which some programs read as octal, and no shorter encodings such as `127.1`. */
const isDecimalV4 = (text: string): boolean => ipaddr.IPv4.isValidFourPartDecimal(text);

const isBlockedV4 = (address: ipaddr.IPv4): boolean => V4_NETWORKS.some((network) => address.match(network));

function isBlockedV6(address: ipaddr.IPv6): boolean {
  if (V4_IN_V6.some((network) => address.match(network))) {
    return isBlockedV4(new ipaddr.IPv4(address.toByteArray().slice(-4)));
  }
  return V6_NETWORKS.some((network) => address.match(network));
}

const BLOCKED_V4 = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24"],
  ...["192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15"],
  // Azure serves its metadata at this public address.
  "168.63.129.16/32",
  "224.0.0.0/3",
];
/** Everything except global unicast (2000::/3), and within that Teredo and 6to4, which embed other addresses. */
const BLOCKED_V6 = ["::/3", "4000::/2", "8000::/1", "2001::/32", "2002::/16"];
/** In CIDR notation, for the runtime's own check of the addresses that a name resolves to. */
export const BLOCKED_NETWORKS: readonly string[] = [...BLOCKED_V4, ...BLOCKED_V6];

const V4_NETWORKS = BLOCKED_V4.map((network) => ipaddr.IPv4.parseCIDR(network));
const V6_NETWORKS = BLOCKED_V6.map((network) => ipaddr.IPv6.parseCIDR(network));
/** IPv4-compatible, IPv4-mapped, and both NAT64 prefixes: the last four bytes are an IPv4 address, which is judged. */
const V4_IN_V6 = ["::/96", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48"].map((network) =>
  ipaddr.IPv6.parseCIDR(network),
);
