// Paths that are never deleted or moved away, because the machine would not work without them.

import { dirname } from "node:path";
import type { Failure } from "../../../src/contract/failure.ts";
import type { PathRoots } from "./resolve-path.ts";

const SYSTEM_ROOTS = new Set(
  (
    "/ /bin /boot /dev /etc /home /lib /lib32 /lib64 /libx32 /media /mnt /opt /proc /root /run /sbin /srv /sys /tmp /usr /var " +
    "/usr/bin /usr/include /usr/lib /usr/lib64 /usr/libexec /usr/local /usr/sbin /usr/share /usr/local/bin /usr/local/lib " +
    "/var/cache /var/lib /var/log /var/run /var/tmp /etc/ssl"
  ).split(" "),
);
/** Everything below these belongs to the kernel, except for two places in memory where programs keep files. */
const KERNEL = /^\/(dev\/(?!(shm|mqueue)\/.)|proc\/|sys\/)/;

/** `paths` are the entry's path as given and its real path. Null when the entry is not protected. */
export function protectedFailure(action: string, paths: readonly string[], roots: PathRoots): Failure | null {
  const reason = paths.map((path) => reasonFor(path, roots)).find((found) => found !== null);
  if (reason === undefined || reason === null) return null;
  return {
    reason: "refused",
    subject: `"${paths[0]}"`,
    message: `${reason}, so it is not ${action}. Name what is inside it instead.`,
  };
}

function reasonFor(path: string, { workspace, home }: PathRoots): string | null {
  if (path === workspace) return "it is the workspace itself";
  if (path === home) return "it is the home directory itself";
  if (SYSTEM_ROOTS.has(path)) return "it is a system directory";
  if (KERNEL.test(path)) return "it belongs to the kernel";
  return isAbove(path, workspace) || isAbove(path, home) ? "the workspace or the home directory is inside it" : null;
}

function isAbove(path: string, inner: string): boolean {
  for (let at = dirname(inner); at !== "/"; at = dirname(at)) if (at === path) return true;
  return false;
}
