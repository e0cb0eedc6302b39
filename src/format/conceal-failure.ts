// Failures of file operations for a caller that may write and not read: without contents, names, sizes and kinds. That a path cannot
// be written because it exists, or does not, cannot be hidden.

import type { Failure } from "../contract/failure.ts";

/** `paths` are those that the caller gave. No other is named. Every reason that is not listed here is concealed. */
export function concealFailure(failure: Failure, paths: readonly string[]): Failure {
  const refused = (message: string): Failure => ({ reason: "refused", subject: quoteAll(paths), message });
  switch (failure.reason) {
    case "machine_unavailable":
    case "machine_restarted":
    case "timeout":
    case "cancelled":
    case "too_large":
      return failure;
    case "quota_exceeded":
      return { ...failure, advice: "A key that may run commands can make room." };
    case "disk_full":
      return { reason: "disk_full", path: paths.at(-1) ?? "", disk: null };
    case "no_such_path":
      return refused("there is no such file or directory");
    case "exists":
      return refused("something is there already, and nothing was changed. Choose another path, or replace it");
    case "invalid_request":
      return { reason: "invalid_request", message: INVALID };
    default:
      return refused(
        "what is there does not allow it. Choose another path, or set recursive: true to delete a directory with everything in it",
      );
  }
}

const INVALID =
  "It cannot be done as asked, and nothing was changed. Check the paths (of two, neither may be the other or inside it) and the encoding of the content, then send all of it again.";

const quoteAll = (paths: readonly string[]): string => paths.map((path) => `"${path}"`).join(" to ");
