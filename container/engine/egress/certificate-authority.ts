// The engine's certificate authority: made once for each state directory, its key readable by the engine's user alone and
// never visible in a machine. It signs a certificate for each host whose TLS the gateway terminates.

import { createPrivateKey, generateKeyPair, type KeyObject, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSecureContext, type SecureContext } from "node:tls";
import { promisify } from "node:util";
import { LEAF_LIFETIME_MS } from "../limits.ts";
import type { Issuer, LeafSigner } from "./sign-certificate.ts";

export interface CertificateAuthority {
  /** PEM, for machines to trust. */
  readonly certificate: string;
  /** Certificate and key of one host name or address. Rejects when `host` cannot stand in a certificate. */
  contextFor(host: string): Promise<SecureContext>;
}

export async function openCertificateAuthority(stateDir: string): Promise<CertificateAuthority> {
  const directory = join(stateDir, "authority");
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const [keyFile, certificateFile] = [join(directory, "key.pem"), join(directory, "certificate.pem")];
  if (!isUsable(keyFile, certificateFile)) await makeAuthority(keyFile, certificateFile);
  return new Authority({
    key: createPrivateKey(readFileSync(keyFile)),
    certificate: readFileSync(certificateFile, "utf8"),
  });
}

/** Contexts kept at a time; each takes some 30 KB. */
const CONTEXTS_MAX = 500;

class Authority implements CertificateAuthority {
  readonly certificate: string;
  readonly #issuer: Issuer;
  /** One key for all hosts, because making a key takes longer than signing a certificate. Made for the first host. */
  #leaves: Promise<{ key: string; sign: LeafSigner }> | undefined;
  readonly #contexts = new Map<string, Promise<SecureContext>>();

  constructor(issuer: Issuer) {
    this.certificate = issuer.certificate;
    this.#issuer = issuer;
  }

  contextFor(host: string): Promise<SecureContext> {
    const known = this.#contexts.get(host);
    if (known !== undefined) return known;
    const context = this.#makeContext(host);
    const [oldest] = this.#contexts.keys();
    if (oldest !== undefined && this.#contexts.size >= CONTEXTS_MAX) this.#contexts.delete(oldest);
    this.#contexts.set(host, context);
    context.catch(() => this.#contexts.delete(host));
    return context;
  }

  async #makeContext(host: string): Promise<SecureContext> {
    this.#leaves ??= this.#prepareLeaves();
    const { key, sign } = await this.#leaves;
    return createSecureContext({ key, cert: (await sign(host)) + this.certificate });
  }

  async #prepareLeaves(): Promise<{ key: string; sign: LeafSigner }> {
    const [key, { createLeafSigner }] = await Promise.all([generateKey(), import("./sign-certificate.ts")]);
    return { key: toPem(key), sign: await createLeafSigner(key, this.#issuer) };
  }
}

/** Whether both files exist, belong together, and are valid for longer than a certificate signed now. */
function isUsable(keyFile: string, certificateFile: string): boolean {
  if (!existsSync(keyFile) || !existsSync(certificateFile)) return false;
  const certificate = new X509Certificate(readFileSync(certificateFile));
  return (
    new Date(certificate.validTo).getTime() - Date.now() > LEAF_LIFETIME_MS &&
    certificate.checkPrivateKey(createPrivateKey(readFileSync(keyFile)))
  );
}

async function makeAuthority(keyFile: string, certificateFile: string): Promise<void> {
  const [key, { signAuthority }] = await Promise.all([generateKey(), import("./sign-certificate.ts")]);
  const certificate = await signAuthority(key);
  // The certificate is written last: where it exists, so does its key.
  writeAtomically(keyFile, toPem(key));
  writeAtomically(certificateFile, certificate);
}

function writeAtomically(file: string, content: string): void {
  writeFileSync(`${file}.new`, content, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

const generateKey = async (): Promise<KeyObject> =>
  (await promisify(generateKeyPair)("rsa", { modulusLength: 2048 })).privateKey;

const toPem = (key: KeyObject): string => key.export({ type: "pkcs1", format: "pem" }).toString();
