// Where nothing ever goes, whatever a policy says: addresses and names that lead to the host itself, to private networks, or
// to the metadata of a cloud. It judges what was asked for; what a name leads to, the runtime checks as it connects.

import { isAddress } from "./host-pattern.ts";

/** Of a normalized host. */
export function isNeverHost(host: string): boolean {
  if (isAddress(host)) return isNeverAddress(host);
  return !host.includes(".") || NEVER_NAMES.some((name) => host === name || host.endsWith(`.${name}`));
}

const NEVER_NAMES = ["localhost", "local", "internal", "lan", "home.arpa", "localdomain", "invalid", "onion"];

/** Of an IP address in any of its usual spellings; what cannot be read is refused too. */
export function isNeverAddress(text: string): boolean {
  const address = text.replace(/%.*$/, "");
  if (!address.includes(":")) {
    const bytes = parseV4(address);
    return bytes === null || isNeverV4(bytes);
  }
  const words = parseV6(address);
  if (words === null) return true;
  const embedded = embeddedV4(words);
  return embedded === null ? NEVER_V6.some((network) => isWithinV6(words, network)) : isNeverV4(embedded);
}

type Bytes = readonly [number, number, number, number];

const NEVER_V4 = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24"],
  ...["192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15"],
  // A cloud's metadata service that has a public address.
  "168.63.129.16/32",
  "224.0.0.0/3",
];
/** All but global unicast (2000::/3), and of that 6to4 and Teredo, which carry other addresses. */
const NEVER_V6 = ["::/3", "4000::/2", "8000::/1", "2001::/32", "2002::/16"];
/** In CIDR notation, for the runtime's own check of what a name leads to. */
export const NEVER_NETWORKS: readonly string[] = [...NEVER_V4, ...NEVER_V6];

const isNeverV4 = (bytes: Bytes): boolean =>
  NEVER_V4.some((network) => {
    const [address = "", bits] = network.split("/");
    const mask = (0xffffffff << (32 - Number(bits))) >>> 0;
    return (number(bytes) & mask) >>> 0 === number(parseV4(address) ?? bytes);
  });

const number = ([a, b, c, d]: Bytes): number => ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;

function isWithinV6(words: readonly number[], network: string): boolean {
  const [address = "", bits] = network.split("/");
  const binary = (of: readonly number[]) => of.map((word) => word.toString(2).padStart(16, "0")).join("");
  return binary(words).slice(0, Number(bits)) === binary(parseV6(address) ?? []).slice(0, Number(bits));
}

function parseV4(text: string): Bytes | null {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (match === null) return null;
  const [a = 256, b = 256, c = 256, d = 256] = match.slice(1).map(Number);
  return Math.max(a, b, c, d) > 255 ? null : [a, b, c, d];
}

function parseV6(text: string): number[] | null {
  if (!URL.canParse(`http://[${text}]/`)) return null;
  const canonical = new URL(`http://[${text}]/`).hostname.slice(1, -1);
  const [head = "", tail] = canonical.split("::");
  const words = (part: string) => (part === "" ? [] : part.split(":").map((word) => Number.parseInt(word, 16)));
  if (tail === undefined) return words(head);
  const [before, after] = [words(head), words(tail)];
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

/** IPv4-mapped, IPv4-compatible, and both NAT64 prefixes. */
function embeddedV4(words: number[]): Bytes | null {
  const zeros = (from: number, to: number) => words.slice(from, to).every((word) => word === 0);
  const mapped = zeros(0, 5) && (words[5] === 0xffff || words[5] === 0);
  const nat64 = words[0] === 0x64 && words[1] === 0xff9b && (zeros(2, 6) || words[2] === 1);
  if (!mapped && !nat64) return null;
  const [high = 0, low = 0] = words.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255];
}
