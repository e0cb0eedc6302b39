// The HTTP status of a failure, for routes that answer over plain HTTP. src/format/format-failure.ts has the text.

import type { Failure } from "../contract/failure.ts";

export function failureStatus(failure: Failure): number {
  switch (failure.reason) {
    case "invalid_request":
    case "wrong_kind":
      return 400;
    case "refused":
      return 403;
    case "not_found":
    case "no_such_path":
      return 404;
    case "exists":
    case "not_empty":
    case "changed":
    case "no_match":
    case "ambiguous_match":
    case "process_conflict":
    case "process_forgotten":
    case "stdin_closed":
    case "cancelled":
      return 409;
    case "too_large":
    case "output_incomplete":
    case "file_too_large":
      return 413;
    case "quota_exceeded":
      return 429;
    case "machine_unavailable":
    case "machine_restarted":
      return 503;
    case "timeout":
      return 504;
    case "checkpoint_failed":
      return 500;
    case "checkpoints_full":
    case "disk_full":
      return 507;
  }
}
