// The address that a request comes from, as the platform states it. An IPv6 address stands for its /64 network, because one
// client has all of that (RFC 4291, section 2.5.4).

/** Null for loopback, which all users of a host share, and where no address is stated. */
export function clientAddress(headers: Headers): string | null {
  const address = headers.get("cf-connecting-ip") ?? "";
  if (/^127\.|^::1$/.test(address)) return null;
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(address)) return address;
  return URL.canParse(`http://[${address}]`) ? networkOf(new URL(`http://[${address}]`).hostname.slice(1, -1)) : null;
}

function networkOf(address: string): string {
  const [before = "", after] = address.split("::");
  const [first, last] = [before, after ?? ""].map((part) => (part === "" ? [] : part.split(":")));
  const zeros = new Array<string>(8 - (first?.length ?? 0) - (last?.length ?? 0)).fill("0");
  return `${[...(first ?? []), ...zeros, ...(last ?? [])].slice(0, 4).join(":")}::/64`;
}
