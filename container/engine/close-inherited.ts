// Closes the descriptors above standard error that this process was started with; to be imported before anything else.
// Machines would inherit them: Node closes in its children what it has opened itself, and only the first few of the others.

import { closeSync, readdirSync, readFileSync } from "node:fs";
import { getCACertificates } from "node:tls";

/** The flag has no name in Node. */
const O_CLOEXEC = 0o2000000;

// Node reads these files in another thread, from descriptors that look inherited: this waits until it has.
if (process.env["NODE_EXTRA_CA_CERTS"] !== undefined) getCACertificates("extra");
if (process.env["NODE_USE_SYSTEM_CA"] === "1") getCACertificates("system");

for (const descriptor of readdirSync("/proc/self/fd").map(Number)) {
  if (descriptor > 2 && isInherited(descriptor)) closeSync(descriptor);
}

/** Whether a child would get it. Everything that Node opens is closed in children (close-on-exec). */
function isInherited(descriptor: number): boolean {
  const flags = /^flags:\s*(\d+)$/m.exec(readInfo(descriptor))?.[1];
  return flags !== undefined && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
}

/** Empty for a descriptor that is closed by now, such as the one that listed the directory. */
function readInfo(descriptor: number): string {
  try {
    return readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8");
  } catch {
    return "";
  }
}
