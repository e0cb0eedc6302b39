// The certificates that a machine trusts, those of the host and that of the engine's authority, as the directory that becomes
// `/etc/ssl/certs`. Made once for each combination of the two.

import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { CERTIFICATE_BUNDLE_VARIABLES } from "../../image/certificate-variables.ts";

/** Where the platform puts the certificate of its own authority. */
export const AUTHORITY_INSIDE = "/etc/cloudflare/certs/cloudflare-containers-ca.crt";
const BUNDLE = "ca-certificates.crt";

/** Environment variables for programs with a certificate store of their own. */
export const TRUST_ENVIRONMENT: Readonly<Record<string, string>> = {
  NODE_EXTRA_CA_CERTS: AUTHORITY_INSIDE,
  ...Object.fromEntries(CERTIFICATE_BUNDLE_VARIABLES.map((name) => [name, `/etc/ssl/certs/${BUNDLE}`])),
};

/** Makes the directory where it does not exist, and returns its path. `authority` is PEM. */
export function makeTrustStore(stateDir: string, authority: string): string {
  const host = HOST_BUNDLES.find((file) => existsSync(file));
  const bundle = `${host === undefined ? "" : readFileSync(host, "utf8").trimEnd()}\n${authority}`;
  const kept = join(stateDir, `tools-certificates-${createHash("sha256").update(bundle).digest("hex").slice(0, 16)}`);
  if (existsSync(kept)) return kept;
  const making = `${kept}.new-${process.pid}`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { mode: 0o755 });
  chmodSync(making, 0o755);
  copyHashed(making);
  write(join(making, BUNDLE), bundle);
  write(join(making, "sandbox-mcp-engine.pem"), authority);
  renameSync(making, kept);
  return kept;
}

const HOST_BUNDLES = [
  ...["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem"],
  "/etc/ssl/cert.pem",
];

/**
 * The files that OpenSSL finds by the hash of a subject. They are copied because the targets of links may not be visible. A package
 * manager of the host may replace them meanwhile.
 */
function copyHashed(to: string): void {
  if (!existsSync("/etc/ssl/certs")) return;
  for (const name of readdirSync("/etc/ssl/certs")) {
    const content = name === BUNDLE ? null : readIfFile(join("/etc/ssl/certs", name));
    if (content !== null) write(join(to, name), content);
  }
}

function readIfFile(path: string): Buffer | null {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null;
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

function write(file: string, content: string | Buffer): void {
  writeFileSync(file, content);
  chmodSync(file, 0o644);
}
