// To be imported before anything else: closes the descriptors above standard error that this process was started with. They
// would be the machines' too: Node keeps from its children those that it opens, and of those it got only the first few.

import { closeSync, readdirSync, readFileSync } from "node:fs";

/** Has no name in Node. */
const O_CLOEXEC = 0o2000000;

for (const descriptor of readdirSync("/proc/self/fd").map(Number)) {
  if (descriptor > 2 && isPassedOn(descriptor)) closeSync(descriptor);
}

/** Without close-on-exec, which everything of Node's own has. */
function isPassedOn(descriptor: number): boolean {
  const flags = /^flags:\s*(\d+)$/m.exec(describe(descriptor))?.[1];
  return flags !== undefined && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
}

/** "" for one that has gone, as the one that listed them. */
function describe(descriptor: number): string {
  try {
    return readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8");
  } catch {
    return "";
  }
}
