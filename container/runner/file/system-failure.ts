// Turns errors of the operating system into failures. Any other error is a bug and is thrown on.

import type { Failure } from "../../../src/contract/failure.ts";
import { fail, type Result } from "../../../src/contract/result.ts";
import { describeFullDisk } from "../disk/full-disk.ts";
import { errorCode } from "./error-code.ts";
import { missingPath } from "./missing-path.ts";

/** Runs the work of an operation on `path`. An error of the system becomes a failure about that path. */
export async function asFailure<Value>(path: string, work: () => Promise<Result<Value>>): Promise<Result<Value>> {
  try {
    return await work();
  } catch (error) {
    const code = errorCode(error);
    // A program that could not be started says nothing about the path; server.ts says what is missing.
    if (code === null || isSpawnError(error)) throw error;
    return fail(await systemFailure(code, path));
  }
}

/** A program could not be started. */
export const isSpawnError = (error: unknown): boolean =>
  error instanceof Error && "syscall" in error && String(error.syscall).startsWith("spawn");

/** The failure that an error of the system with this code is. */
export async function systemFailure(code: string, path: string): Promise<Failure> {
  switch (code) {
    case "ENOENT":
      return missingPath(path);
    case "ENOTDIR":
      return { reason: "wrong_kind", path, expected: "a path whose parents are directories", actual: "below a file" };
    case "EISDIR":
      return { reason: "wrong_kind", path, expected: "a regular file", actual: "a directory" };
    case "ENOSPC":
    case "EDQUOT":
      return { reason: "disk_full", path, disk: await describeFullDisk(path) };
    default:
      return { reason: "refused", subject: `"${path}"`, message: messageFor(code) };
  }
}

function messageFor(code: string): string {
  switch (code) {
    case "EACCES":
    case "EPERM":
      return `permission denied (${code}). Look at its mode and owner with file stat.`;
    case "EROFS":
      return "the file system is read-only (EROFS). Choose a path in /workspace.";
    case "ELOOP":
      return "its symlinks lead in a circle (ELOOP). Name the file itself, or delete the symlink.";
    case "ENAMETOOLONG":
      return "a path in it is longer than Linux accepts (ENAMETOOLONG). Shorten it by moving a directory inside it up, or use a program that descends directory by directory, such as find or rm, through exec.";
    case "EBUSY":
      return "the system is using it, for example as a mount point (EBUSY). Leave it where it is.";
    case "EMFILE":
    case "ENFILE":
      return `too many files are open (${code}). Try again in a moment.`;
    case "EAGAIN":
      return "it has nothing to read at the moment (EAGAIN). Read it with a program through exec, which can wait.";
    default:
      return `the system refused the operation (${code}). Look at the path with file stat.`;
  }
}
