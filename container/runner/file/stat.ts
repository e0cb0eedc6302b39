// file-stat: describes the entry at a path.

import type { Stats } from "node:fs";
import { lstat, stat } from "node:fs/promises";
import type { FileStatRequest, FileStatResult } from "../../../src/contract/file-stat.ts";
import { limits } from "../../../src/contract/limits.ts";
import { type Result, succeed } from "../../../src/contract/result.ts";
import { countNames } from "./directory-names.ts";
import { errorCode } from "./error-code.ts";
import { hashFile } from "./file-hash.ts";
import { kindOf } from "./kind.ts";
import { openRegular } from "./open-regular.ts";
import { readRange } from "./read-chunks.ts";
import { linkTarget, pathReport, realEntry, realTarget } from "./real-path.ts";
import { type PathRoots, resolvePath } from "./resolve-path.ts";
import { describe, sniff } from "./sniff.ts";
import { asFailure } from "./system-failure.ts";

export async function statFile(request: FileStatRequest, roots: PathRoots): Promise<Result<FileStatResult>> {
  const resolved = resolvePath(request.path, roots);
  if (!resolved.ok) return resolved;
  const path = resolved.value.absolute;
  return asFailure(path, async () => {
    const entry = await realEntry(path);
    const link = await linkTarget(entry);
    const targetStats = await statOrNull(entry);
    // A dangling symlink is described itself.
    const stats = targetStats ?? (await lstat(entry));
    const real = targetStats === null ? entry : await realTarget(path);
    return succeed({
      ...pathReport(path, real),
      ...report(stats),
      link_target: link,
      ...(await describeContent(path, real, stats)),
    });
  });
}

async function statOrNull(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ELOOP") return null;
    throw error;
  }
}

const report = (stats: Stats) => ({
  kind: kindOf(stats),
  size: stats.size,
  mode: (stats.mode & 0o7777).toString(8).padStart(4, "0"),
  owner: { uid: stats.uid, gid: stats.gid },
  links: stats.nlink,
  modified_at: stats.mtimeMs,
  changed_at: stats.ctimeMs,
  created_at: stats.birthtimeMs > 0 ? stats.birthtimeMs : null,
});

async function describeContent(path: string, real: string, stats: Stats) {
  const nothing = { sha256: null, what: null, entries: null };
  if (stats.isDirectory())
    return {
      ...nothing,
      entries: await countNames(real).catch(() => null),
    };
  if (!stats.isFile()) return nothing;
  try {
    const opened = await openRegular(path, real);
    if (!opened.ok) return nothing;
    await using file = opened.value;
    const what = describe(sniff(await readRange(file.handle, 0, limits.fileSniffBytes)));
    return { ...nothing, what, sha256: await hashFile(file.handle, file.size) };
  } catch (error) {
    // A file that cannot be read can still be described.
    if (errorCode(error) === null) throw error;
    return nothing;
  }
}
