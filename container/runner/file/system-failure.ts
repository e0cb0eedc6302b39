// The system's errors as failures. What the system did not say is a bug, and goes on as one.

import type { Failure } from "../../../src/contract/failure.ts";
import { fail, type Result } from "../../../src/contract/result.ts";
import { missingPath } from "./missing-path.ts";

/** Runs the work of an operation on `path`; a rejection by the system becomes a failure about that path. */
export async function guarded<Value>(path: string, work: () => Promise<Result<Value>>): Promise<Result<Value>> {
  try {
    return await work();
  } catch (error) {
    const code = errorCode(error);
    if (code === null) throw error;
    return fail(await failureOf(code, path));
  }
}

/** Such as "ENOENT"; null for what is no error of the system. */
export function errorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || !("errno" in error)) return null;
  return typeof error.code === "string" && /^E[A-Z0-9]+$/.test(error.code) ? error.code : null;
}

async function failureOf(code: string, path: string): Promise<Failure> {
  switch (code) {
    case "ENOENT":
      return missingPath(path);
    case "ENOTDIR":
      return { reason: "wrong_kind", path, expected: "a path below directories only", actual: "below a file" };
    case "EISDIR":
      return { reason: "wrong_kind", path, expected: "a regular file", actual: "a directory" };
    case "ENOSPC":
    case "EDQUOT":
      return { reason: "disk_full", path };
    default:
      return { reason: "refused", subject: `"${path}"`, message: sentence(code) };
  }
}

function sentence(code: string): string {
  switch (code) {
    case "EACCES":
    case "EPERM":
      return `permission denied (${code}). Look at its mode and owner with file stat.`;
    case "EROFS":
      return "the file system is read-only (EROFS). Choose a path in /workspace.";
    case "ELOOP":
      return "its symlinks lead in a circle (ELOOP). Name the file itself, or delete the symlink.";
    case "ENAMETOOLONG":
      return "a path in it is longer than Linux takes (ENAMETOOLONG). Work on it with a program that goes down by directories, such as tar or rm through exec.";
    case "EBUSY":
      return "it is in use by the system, such as a mount (EBUSY). Leave it where it is.";
    case "EMFILE":
    case "ENFILE":
      return `too many files are open (${code}). Try again in a moment.`;
    case "EAGAIN":
      return "it has nothing to read now, and would have to be waited for (EAGAIN). Read it with a program through exec.";
    default:
      return `the system refused (${code}).`;
  }
}
