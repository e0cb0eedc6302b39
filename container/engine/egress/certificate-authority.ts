// The engine's certificate authority: made once for each state directory, its key readable by the engine's user alone and
// never in a machine. Signs a certificate for each host whose TLS is ended here.

import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { createSecureContext, type SecureContext } from "node:tls";
import forge from "node-forge";

export interface CertificateAuthority {
  /** PEM, for machines to trust. */
  readonly certificate: string;
  /** For one host name or address. */
  contextFor(host: string): SecureContext;
}

export function openCertificateAuthority(stateDir: string): CertificateAuthority {
  const directory = join(stateDir, "authority");
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const [keyFile, certificateFile] = [join(directory, "key.pem"), join(directory, "certificate.pem")];
  if (!isUsable(keyFile, certificateFile)) makeAuthority(keyFile, certificateFile);
  return new Authority(readFileSync(keyFile, "utf8"), readFileSync(certificateFile, "utf8"));
}

const NAME = [{ name: "commonName", value: "sandbox-mcp engine" }];
const DAY_MS = 24 * 60 * 60 * 1000;
const YEARS_10_MS = 3_650 * DAY_MS;
/** Clocks in and around a machine may differ. */
const BACKDATED_MS = 2 * DAY_MS;
const LEAF_MS = 300 * DAY_MS;
/** A context is some 30 KB. */
const CONTEXTS_MAX = 500;

class Authority implements CertificateAuthority {
  readonly certificate: string;
  readonly #key: KeyObject;
  readonly #issuer: forge.pki.Certificate;
  /** One key for all hosts: to make one takes longer than to sign a certificate. */
  readonly #leafKey = generateKey();
  readonly #leafPublicKey = publicKeyOf(this.#leafKey);
  readonly #contexts = new Map<string, SecureContext>();

  constructor(key: string, certificate: string) {
    this.certificate = certificate;
    this.#key = createPrivateKey(key);
    this.#issuer = forge.pki.certificateFromPem(certificate);
  }

  contextFor(host: string): SecureContext {
    const known = this.#contexts.get(host);
    if (known !== undefined) return known;
    const context = createSecureContext({ key: this.#leafKey, cert: this.#leafFor(host) + this.certificate });
    const [oldest] = this.#contexts.keys();
    if (oldest !== undefined && this.#contexts.size >= CONTEXTS_MAX) this.#contexts.delete(oldest);
    this.#contexts.set(host, context);
    return context;
  }

  #leafFor(host: string): string {
    const leaf = newCertificate(this.#leafPublicKey, LEAF_MS);
    // Common names end at 64 characters; what counts is the alternative name.
    leaf.setSubject([{ name: "commonName", value: host.slice(0, 64) }]);
    leaf.setIssuer(this.#issuer.subject.attributes);
    leaf.setExtensions([
      { name: "basicConstraints", cA: false },
      { name: "keyUsage", digitalSignature: true, keyEncipherment: true },
      { name: "extKeyUsage", serverAuth: true },
      { name: "subjectAltName", altNames: [isIP(host) !== 0 ? { type: 7, ip: host } : { type: 2, value: host }] },
      { name: "subjectKeyIdentifier" },
      { name: "authorityKeyIdentifier", keyIdentifier: this.#issuer.generateSubjectKeyIdentifier().getBytes() },
    ]);
    signWith(this.#key, leaf);
    return forge.pki.certificateToPem(leaf);
  }
}

function isUsable(keyFile: string, certificateFile: string): boolean {
  if (!existsSync(keyFile) || !existsSync(certificateFile)) return false;
  const certificate = new X509Certificate(readFileSync(certificateFile));
  return (
    new Date(certificate.validTo).getTime() - Date.now() > LEAF_MS &&
    certificate.checkPrivateKey(createPrivateKey(readFileSync(keyFile)))
  );
}

function makeAuthority(keyFile: string, certificateFile: string): void {
  const key = generateKey();
  const certificate = newCertificate(publicKeyOf(key), YEARS_10_MS);
  certificate.setSubject(NAME);
  certificate.setIssuer(NAME);
  certificate.setExtensions([
    { name: "basicConstraints", cA: true, critical: true },
    { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    { name: "subjectKeyIdentifier" },
  ]);
  signWith(createPrivateKey(key), certificate);
  // The certificate last: with it the pair is complete.
  writeWhole(keyFile, key);
  writeWhole(certificateFile, forge.pki.certificateToPem(certificate));
}

/** By OpenSSL: in code alone it takes 20 ms, and everything else waits. */
function signWith(key: KeyObject, certificate: forge.pki.Certificate): void {
  const signer = {
    sign: () => {
      // Its types do not know of it.
      const { tbsCertificate } = certificate as unknown as { tbsCertificate: forge.asn1.Asn1 };
      const content = Buffer.from(forge.asn1.toDer(tbsCertificate).getBytes(), "latin1");
      return sign("sha256", content, key).toString("latin1");
    },
  };
  certificate.sign(signer as unknown as forge.pki.rsa.PrivateKey, forge.md.sha256.create());
}

function writeWhole(file: string, content: string): void {
  writeFileSync(`${file}.new`, content, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

const generateKey = (): string =>
  generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
  }).privateKey;

const publicKeyOf = (privateKey: string): forge.pki.PublicKey => {
  const { n, e } = forge.pki.privateKeyFromPem(privateKey);
  return forge.pki.setRsaPublicKey(n, e);
};

function newCertificate(publicKey: forge.pki.PublicKey, lifeMs: number): forge.pki.Certificate {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = publicKey;
  // Positive, whatever the first byte.
  certificate.serialNumber = `00${randomBytes(15).toString("hex")}`;
  certificate.validity.notBefore = new Date(Date.now() - BACKDATED_MS);
  certificate.validity.notAfter = new Date(Date.now() + lifeMs);
  return certificate;
}
