// file-stat: what is at a path.

import type { Stats } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import type { FileStatRequest, FileStatResult } from "../../../src/contract/file-stat.ts";
import { limits } from "../../../src/contract/limits.ts";
import { type Result, succeed } from "../../../src/contract/result.ts";
import { hashFile } from "./file-hash.ts";
import { kindOf } from "./kind.ts";
import { openRegular } from "./open-regular.ts";
import { readRange } from "./read-chunks.ts";
import { linkTarget, placeReport, realEntry, realTarget } from "./real-path.ts";
import { type FilePlace, namePath } from "./resolve-path.ts";
import { describe, sniff } from "./sniff.ts";
import { errorCode, guarded } from "./system-failure.ts";

export async function statFile(request: FileStatRequest, place: FilePlace): Promise<Result<FileStatResult>> {
  const named = namePath(request.path, place);
  if (!named.ok) return named;
  const path = named.value.absolute;
  return guarded(path, async () => {
    const entry = await realEntry(path);
    const link = await linkTarget(entry);
    const leadsTo = await statOrNull(entry);
    // A symlink to nothing is a thing itself.
    const stats = leadsTo ?? (await lstat(entry));
    const real = leadsTo === null ? entry : await realTarget(path);
    return succeed({
      ...placeReport(path, real),
      ...report(stats),
      link_target: link,
      ...(await inside(path, real, stats)),
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

async function inside(path: string, real: string, stats: Stats) {
  const nothing = { sha256: null, what: null, entries: null };
  if (stats.isDirectory())
    return {
      ...nothing,
      entries: await readdir(real).then(
        (names) => names.length,
        () => null,
      ),
    };
  if (!stats.isFile()) return nothing;
  try {
    const opened = await openRegular(path, real);
    if (!opened.ok) return nothing;
    await using file = opened.value;
    const what = describe(sniff(await readRange(file.handle, 0, limits.fileSniffBytes)));
    return { ...nothing, what, sha256: await hashFile(file.handle, file.size) };
  } catch (error) {
    // What it is can be told of a file that may not be read.
    if (errorCode(error) === null) throw error;
    return nothing;
  }
}
