// Failures of file operations for a caller that may write and not read: without contents, names, sizes and kinds. That a path cannot
// be written because it exists, or does not, cannot be hidden.

import type { Failure } from "../contract/failure.ts";

export function concealFailure(failure: Failure): Failure {
  switch (failure.reason) {
    case "no_such_path":
      return refused(failure.path, "it does not exist");
    case "exists":
      return refused(failure.path, "it exists, and nothing was changed. Choose another path, or replace it");
    case "not_empty":
      return refused(
        failure.path,
        "it is a directory that is not empty. Set recursive: true to delete it with everything",
      );
    case "wrong_kind":
      return refused(failure.path, `it is not ${failure.expected}`);
    case "changed":
    case "no_match":
    case "ambiguous_match":
    case "file_too_large":
      return refused(failure.path, "it is not as the change needs it, and nothing was changed");
    case "disk_full":
      return { ...failure, disk: null };
    default:
      return failure;
  }
}

const refused = (path: string, message: string): Failure => ({ reason: "refused", subject: `"${path}"`, message });
