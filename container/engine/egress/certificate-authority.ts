// The engine's certificate authority: made once for each state directory, its key readable by the engine's user alone and
// never in a machine. Signs a certificate for each host whose TLS is ended here.

import { createPrivateKey, generateKeyPairSync, randomBytes, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
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
  readonly #key: forge.pki.rsa.PrivateKey;
  readonly #issuer: forge.pki.Certificate;
  /** One key for all hosts: to make one takes longer than to sign a certificate. */
  readonly #leafKey = generateKey();
  readonly #contexts = new Map<string, SecureContext>();

  constructor(key: string, certificate: string) {
    this.certificate = certificate;
    this.#key = forge.pki.privateKeyFromPem(key);
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
    const leaf = newCertificate(this.#leafKey, LEAF_MS);
    // Common names end at 64 characters; what counts is the alternative name.
    leaf.setSubject([{ name: "commonName", value: host.slice(0, 64) }]);
    leaf.setIssuer(this.#issuer.subject.attributes);
    const isAddress = host.includes(":") || /^[\d.]+$/.test(host);
    leaf.setExtensions([
      { name: "basicConstraints", cA: false },
      { name: "keyUsage", digitalSignature: true, keyEncipherment: true },
      { name: "extKeyUsage", serverAuth: true },
      { name: "subjectAltName", altNames: [isAddress ? { type: 7, ip: host } : { type: 2, value: host }] },
      { name: "subjectKeyIdentifier" },
      { name: "authorityKeyIdentifier", keyIdentifier: this.#issuer.generateSubjectKeyIdentifier().getBytes() },
    ]);
    leaf.sign(this.#key, forge.md.sha256.create());
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
  const certificate = newCertificate(key, YEARS_10_MS);
  certificate.setSubject(NAME);
  certificate.setIssuer(NAME);
  certificate.setExtensions([
    { name: "basicConstraints", cA: true, critical: true },
    { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    { name: "subjectKeyIdentifier" },
  ]);
  certificate.sign(forge.pki.privateKeyFromPem(key), forge.md.sha256.create());
  // The certificate last: with it the pair is complete.
  writeWhole(keyFile, key);
  writeWhole(certificateFile, forge.pki.certificateToPem(certificate));
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

function newCertificate(privateKey: string, lifeMs: number): forge.pki.Certificate {
  const certificate = forge.pki.createCertificate();
  const { n, e } = forge.pki.privateKeyFromPem(privateKey);
  certificate.publicKey = forge.pki.setRsaPublicKey(n, e);
  // Positive, whatever the first byte.
  certificate.serialNumber = `00${randomBytes(15).toString("hex")}`;
  certificate.validity.notBefore = new Date(Date.now() - BACKDATED_MS);
  certificate.validity.notAfter = new Date(Date.now() + lifeMs);
  return certificate;
}
