// Builds and signs the X.509 certificates of the engine's authority. Loading the library takes longer than the rest of the
// engine's start, so certificate-authority.ts imports this file only when a certificate has to be signed.

import "reflect-metadata";
import { createPublicKey, type KeyObject } from "node:crypto";
import { isIP } from "node:net";
import * as x509 from "@peculiar/x509";
import { LEAF_LIFETIME_MS } from "../limits.ts";

export interface Issuer {
  readonly key: KeyObject;
  /** PEM. */
  readonly certificate: string;
}

/** The self-signed certificate of an authority, as PEM. */
export async function signAuthority(key: KeyObject): Promise<string> {
  const subject = new x509.Name([{ CN: ["sandbox-mcp engine"] }]);
  const publicKey = publicKeyOf(key);
  const { keyCertSign, cRLSign } = x509.KeyUsageFlags;
  return sign({
    ...{ subject, issuer: subject, publicKey, signingKey: key, lifetimeMs: AUTHORITY_LIFETIME_MS },
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(keyCertSign | cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
    ],
  });
}

/** The certificate of a server for one host name or address, as PEM. Rejects when `host` cannot stand in a certificate. */
export type LeafSigner = (host: string) => Promise<string>;

/** Signs certificates for the key, which is the same for all hosts. */
export async function createLeafSigner(key: KeyObject, issuer: Issuer): Promise<LeafSigner> {
  const authority = new x509.X509Certificate(issuer.certificate);
  const publicKey = publicKeyOf(key);
  const { digitalSignature, keyEncipherment } = x509.KeyUsageFlags;
  const extensions = [
    new x509.BasicConstraintsExtension(false),
    new x509.KeyUsagesExtension(digitalSignature | keyEncipherment),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    await x509.SubjectKeyIdentifierExtension.create(publicKey),
    await x509.AuthorityKeyIdentifierExtension.create(authority.publicKey),
  ];
  return async (host) => {
    const alternativeName = { type: isIP(host) === 0 ? "dns" : "ip", value: host } as const;
    return sign({
      // A common name ends at 64 characters; clients look at the alternative name.
      subject: new x509.Name([{ CN: [{ utf8String: host.slice(0, 64) }] }]),
      // Byte for byte the authority's subject, however it is encoded there: some clients compare the bytes.
      issuer: authority.subjectName,
      ...{ publicKey, signingKey: issuer.key, lifetimeMs: LEAF_LIFETIME_MS },
      extensions: [...extensions, new x509.SubjectAlternativeNameExtension([alternativeName])],
    });
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;
const AUTHORITY_LIFETIME_MS = 3_650 * DAY_MS;
/** The clock of a machine may be behind the engine's. */
const BACKDATED_MS = 2 * DAY_MS;
const ALGORITHM = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };

interface Unsigned {
  readonly subject: x509.Name;
  readonly issuer: x509.Name;
  readonly publicKey: x509.PublicKey;
  readonly signingKey: KeyObject;
  readonly lifetimeMs: number;
  readonly extensions: x509.Extension[];
}

async function sign({ signingKey, lifetimeMs, ...fields }: Unsigned): Promise<string> {
  const certificate = await x509.X509CertificateGenerator.create({
    ...fields,
    signingKey: signingKey.toCryptoKey(ALGORITHM, false, ["sign"]),
    notBefore: new Date(Date.now() - BACKDATED_MS),
    notAfter: new Date(Date.now() + lifetimeMs),
  });
  return `${certificate.toString("pem")}\n`;
}

const publicKeyOf = (key: KeyObject): x509.PublicKey =>
  new x509.PublicKey(createPublicKey(key).export({ type: "spki", format: "der" }));
