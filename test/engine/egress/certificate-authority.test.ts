// The certificates of the engine's authority, as TLS clients judge them.

import { spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, isIP } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkServerIdentity, connect, TLSSocket } from "node:tls";
import { afterAll, expect, it } from "vitest";
import {
  type CertificateAuthority,
  openCertificateAuthority,
} from "../../../container/engine/egress/certificate-authority.ts";

/** A state directory of an earlier version, whose authority was made with node-forge. */
const EARLIER = join(import.meta.dirname, "node-forge-authority");

const directories: string[] = [];
function stateDir(from?: string): string {
  const directory = mkdtempSync(join(tmpdir(), "authority-"));
  directories.push(directory);
  if (from !== undefined) cpSync(from, directory, { recursive: true });
  return directory;
}
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});

/** The certificate that a client gets for `host` when it trusts the authority alone. Rejects when the client refuses it. */
async function handshake(authority: CertificateAuthority, host: string): Promise<X509Certificate> {
  const secureContext = await authority.contextFor(host);
  const server = createServer((socket) => {
    new TLSSocket(socket, { isServer: true, secureContext }).on("error", () => undefined);
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(Number(JSON.stringify(server.address()).match(/"port":(\d+)/)?.[1])));
  });
  try {
    return await new Promise((resolve, reject) => {
      const client = connect({
        ...{ host: "127.0.0.1", port, ca: authority.certificate, servername: isIP(host) === 0 ? host : "" },
        checkServerIdentity: (_, certificate) => checkServerIdentity(host, certificate),
      });
      client.once("error", reject).once("secureConnect", () => {
        const certificate = client.getPeerX509Certificate();
        if (certificate === undefined) reject(new Error("no certificate"));
        else resolve(certificate);
        client.destroy();
      });
    });
  } finally {
    server.close();
  }
}

it.each(["example.com", "10.1.2.3", "2001:db8::1", "x.example", `${"a".repeat(60)}.${"b".repeat(60)}.example`])(
  "the certificate of %s is accepted",
  async (host) => {
    const authority = await openCertificateAuthority(stateDir());
    const certificate = await handshake(authority, host);
    expect(certificate.ca).toBe(false);
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
    expect(certificate.checkIssued(new X509Certificate(authority.certificate))).toBe(true);
  },
);

it("openCertificateAuthority() makes an authority once, with a key that only its owner may read", async () => {
  const directory = stateDir();
  const authority = await openCertificateAuthority(directory);
  expect((await openCertificateAuthority(directory)).certificate).toBe(authority.certificate);
  expect(statSync(join(directory, "authority/key.pem")).mode & 0o777).toBe(0o600);
  const certificate = new X509Certificate(authority.certificate);
  expect([certificate.ca, certificate.subject]).toEqual([true, "CN=sandbox-mcp engine"]);
});

it("openCertificateAuthority() goes on using the authority of an earlier version", async () => {
  const authority = await openCertificateAuthority(stateDir(EARLIER));
  expect(authority.certificate).toBe(readFileSync(join(EARLIER, "authority/certificate.pem"), "utf8"));
  const certificate = await handshake(authority, "example.com");
  // Clients with a strict idea of the standard compare the bytes of the names.
  expect(nameOf("issuer", certificate.toString())).toEqual(nameOf("subject", authority.certificate));
});

const nameOf = (field: "issuer" | "subject", certificate: string): string =>
  spawnSync("openssl", ["x509", "-noout", `-${field}`, "-nameopt", "show_type,sep_comma_plus"], {
    input: certificate,
    encoding: "utf8",
  }).stdout.replace(field, "");

it("openCertificateAuthority() replaces an authority whose key is another one's", async () => {
  const directory = stateDir(EARLIER);
  const other = stateDir();
  await openCertificateAuthority(other);
  cpSync(join(other, "authority/key.pem"), join(directory, "authority/key.pem"));
  const authority = await openCertificateAuthority(directory);
  expect(authority.certificate).not.toBe(readFileSync(join(EARLIER, "authority/certificate.pem"), "utf8"));
  await handshake(authority, "example.com");
});

it("contextFor() signs one certificate for each host", async () => {
  const authority = await openCertificateAuthority(stateDir());
  const [first, second] = await Promise.all([authority.contextFor("a.example"), authority.contextFor("a.example")]);
  expect(first).toBe(second);
  expect(await authority.contextFor("b.example")).not.toBe(first);
});

it("contextFor() never makes a serial number that TLS refuses", async () => {
  const authority = await openCertificateAuthority(stateDir());
  // A leading zero byte, which must not be there unless the number would be negative, comes up once in 512 random numbers.
  for (let n = 0; n < 600; n += 1) await authority.contextFor(`${n}.example`);
});
