// What `/etc` of a machine is made of: files of the host that are named here, read once when the engine starts, and accounts
// and names of its own. No other file of the host is visible, least of all one that may hold credentials.

import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { GATEWAY_ADDRESS } from "../egress/machine-network.ts";
import { AUTHORITY_INSIDE } from "../egress/trust-store.ts";

export interface MachineEtc {
  /** Path below `/etc` to content. Each machine gets copies of its own, which it may change. */
  readonly files: ReadonlyMap<string, Buffer | string>;
  /** Directories of the host that are too big to copy for each machine; they are bound read-only. */
  readonly directories: readonly string[];
}

export function machineEtc(authority: string): MachineEtc {
  const files = new Map<string, Buffer | string>();
  for (const path of COPIED) copyInto(files, path);
  for (const [path, content] of Object.entries(OWN)) files.set(path, content);
  files.set(AUTHORITY_INSIDE.slice("/etc/".length), authority);
  files.set("gitconfig", readFileSync(join(import.meta.dirname, "../../image/gitconfig")));
  const directories = readdirSync("/etc").filter((name) => BOUND.test(name));
  return { files, directories: [...directories, "ca-certificates"].filter(isDirectoryOfEtc) };
}

const COPIED = [
  ...["ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "timezone", "protocols", "services", "mime.types"],
  ...["magic", "profile", "bash.bashrc", "inputrc", "os-release", "debian_version", "lsb-release", "locale.alias"],
  ...["login.defs", "ca-certificates.conf", "ssl/openssl.cnf", "redhat-release", "alpine-release"],
];

const BOUND = /^(alternatives|perl|python[0-9.]*|terminfo|fonts|java-[0-9]+-openjdk|php|lua|R|emacs|vim)$/;

const OWN = {
  passwd: "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
  group: "root:x:0:\ntty:x:5:\nnogroup:x:65534:\n",
  shells: "/bin/sh\n/bin/bash\n",
  hostname: "sandbox\n",
  hosts: "127.0.0.1 localhost sandbox\n::1 localhost ip6-localhost ip6-loopback\n",
  // By default a resolver waits 5 s for an answer that was lost.
  "resolv.conf": `nameserver ${GATEWAY_ADDRESS}\noptions timeout:1 attempts:2\n`,
  "host.conf": "multi on\n",
  "nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\nservices: files\nprotocols: files\n",
  environment: "",
  fstab: "",
};

function copyInto(files: Map<string, Buffer | string>, path: string): void {
  const source = join("/etc", path);
  if (!existsSync(source)) return;
  if (!statSync(source).isDirectory()) files.set(path, readFileSync(source));
  else for (const name of readdirSync(source)) copyInto(files, join(path, name));
}

const isDirectoryOfEtc = (path: string): boolean => {
  const source = join("/etc", path);
  return existsSync(source) && lstatSync(source).isDirectory();
};
