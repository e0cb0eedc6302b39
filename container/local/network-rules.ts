// The addresses that the local Worker may connect to: public ones, except those of this host. workerd checks the address that a
// name resolves to when it connects to it, so a name that changes in between is no way around.

import { readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { BLOCKED_NETWORKS } from "../../src/egress/blocked-addresses.ts";

export interface NetworkRules {
  allow: string[];
  deny: string[];
  tlsOptions: { trustBrowserCas: boolean; trustedCertificates: string[] };
}

/** Tests set `allowLoopback`, because their stand-ins for hosts of the internet listen on loopback. */
export function networkRules({ allowLoopback }: { allowLoopback: boolean }): NetworkRules {
  const blocked = [...BLOCKED_NETWORKS, ...hostAddresses()];
  return {
    allow: allowLoopback ? ["public", "127.0.0.0/8"] : ["public"],
    deny: allowLoopback ? blocked.filter((network) => !network.startsWith("127.")) : blocked,
    tlsOptions: { trustBrowserCas: true, trustedCertificates: extraCertificates() },
  };
}

/** Services of this host may listen on any of its addresses, including public ones. */
const hostAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address, family }) => `${address.replace(/%.*$/, "")}/${family === "IPv6" ? 128 : 32}`);

/** The Worker trusts the additional certificate authorities that Node trusts. */
function extraCertificates(): string[] {
  const file = process.env["NODE_EXTRA_CA_CERTS"];
  if (file === undefined || file === "") return [];
  try {
    return readFileSync(file, "utf8").match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  } catch {
    // Node has already printed a warning about a file that it cannot read.
    return [];
  }
}
