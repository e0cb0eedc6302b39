// Where a move or a copy goes: the path that was named, or into the directory that was named with a slash.

import { lstat, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { FileKind } from "../../../src/contract/file.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { kindOf } from "./kind.ts";
import { realEntry } from "./real-path.ts";
import { type FilePlace, namePath } from "./resolve-path.ts";
import { errorCode } from "./system-failure.ts";

export interface Destination {
  path: string;
  /** Its directory's symlinks followed; its last name not. */
  real: string;
}

export async function destinationOf(to: string, from: string, place: FilePlace): Promise<Result<Destination>> {
  const named = namePath(to, place);
  if (!named.ok) return named;
  const path = named.value.directory ? join(named.value.absolute, basename(from)) : named.value.absolute;
  return succeed({ path, real: await realEntry(path) });
}

/** What is at `real`; null for nothing. */
export async function kindAt(real: string | Buffer): Promise<FileKind | null> {
  try {
    return kindOf(await lstat(real));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** Where `from` is a directory, nothing goes into itself. */
export async function intoItself(from: string, to: string): Promise<Result<null>> {
  const inside = to.startsWith(`${from}/`) && (await stat(from)).isDirectory();
  if (!inside) return succeed(null);
  const message = `"${to}" is inside "${from}", and a directory cannot go into itself. Nothing was changed. Choose a path outside it.`;
  return fail({ reason: "invalid_request", message });
}
