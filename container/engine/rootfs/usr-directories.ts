// The directories of `/usr` in which people and installers write. In a machine the host's directories belong to the user
// "nobody", and an overlay lets root write only in those that its upper layer has too. Making all 15,000 of them would take
// longer than a machine's start.

import { globSync, lstatSync } from "node:fs";
import { dirname, join } from "node:path";

/** Paths relative to `/usr`, each after its parent. */
export function usrDirectories(): string[] {
  const found = new Set<string>();
  for (const path of globSync(WRITTEN, { cwd: "/usr" }).sort()) {
    const parent = dirname(path);
    // Nothing is made below a link (such as `sbin` to `bin`): a directory of the upper layer would replace the link.
    if ((parent === "." || found.has(parent)) && isOpenDirectory(join("/usr", path))) found.add(path);
  }
  return [...found];
}

const LIBRARIES = "{lib,lib64,lib/*-linux-gnu*}";

/** Some 35 directories on Debian; each adds 20 µs to the start of every machine. */
const WRITTEN = [
  ...["*", LIBRARIES, `${LIBRARIES}/{cmake,pkgconfig}`, "lib/python3*", "lib/python3*/{dist,site}-packages"],
  "share/{aclocal,applications,bash-completion,bash-completion/completions,doc,icons,info,locale,man,man/man[13578]}",
  "share/{perl5,pixmaps,pkgconfig}",
];

/** A directory that only some users may list stays the host's own: in the upper layer everyone could list it. */
function isOpenDirectory(path: string): boolean {
  const stat = lstatSync(path);
  return stat.isDirectory() && (stat.mode & 0o005) === 0o005;
}
