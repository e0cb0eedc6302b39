// Which addresses the local Worker reaches, as workerd checks them in one step with the connection, whatever a name leads to:
// public ones, without those of this host.

import { readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { BLOCKED_NETWORKS } from "../../src/egress/blocked-addresses.ts";

export interface NetworkRules {
  allow: string[];
  deny: string[];
  tlsOptions: { trustBrowserCas: boolean; trustedCertificates: string[] };
}

/** `allowLoopback` is for tests, whose servers on loopback stand in for hosts of the internet. */
export function networkRules({ allowLoopback }: { allowLoopback: boolean }): NetworkRules {
  const blocked = [...BLOCKED_NETWORKS, ...hostAddresses()];
  return {
    allow: allowLoopback ? ["public", "127.0.0.0/8"] : ["public"],
    deny: allowLoopback ? blocked.filter((network) => !network.startsWith("127.")) : blocked,
    tlsOptions: { trustBrowserCas: true, trustedCertificates: extraCertificates() },
  };
}

/** The services of this host may listen on all of them, the public ones too. */
const hostAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address, family }) => `${address.replace(/%.*$/, "")}/${family === "IPv6" ? 128 : 32}`);

/** The authorities that Node trusts for this user trusts the Worker too. */
function extraCertificates(): string[] {
  const file = process.env["NODE_EXTRA_CA_CERTS"];
  if (file === undefined || file === "") return [];
  try {
    return readFileSync(file, "utf8").match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  } catch {
    // Node warns of a file that it cannot read.
    return [];
  }
}
