// Makes the bytes of a layer: the compressed manifest, then the compressed tar archive, in one file.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import type { CheckpointCreateResult } from "../../../src/contract/checkpoint-create.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import { systemFailure } from "../file/system-failure.ts";
import { scripts } from "../scripts.ts";
import type { LayerLists } from "./changes.ts";
import { packDeep } from "./pack-deep.ts";
import { runScript } from "./run-script.ts";

export async function pack(
  archive: string,
  { manifest, names, deep }: LayerLists,
): Promise<Result<NonNullable<CheckpointCreateResult["archive"]>>> {
  const deepArchives = `${deep}.archives`;
  const deepNames = await packDeep(deep, { names, out: deepArchives }, PACK_OPTIONS);
  const { code, stdout, stderr } = await runScript(scripts.pack, {
    args: [
      archive,
      manifest,
      names,
      ...PACK_OPTIONS,
      ...(deepNames.length === 0 ? [] : [`--directory=${deepArchives}`, ...deepNames, "--directory=/"]),
    ],
    cwd: "/",
  });
  if (code !== 0) {
    await rm(archive, { force: true });
    if (stderr.includes("No space left on device")) return fail(await systemFailure("ENOSPC", archive));
    return fail({
      reason: "checkpoint_failed",
      message: `the archive was not written (${stderr.trim() || `code ${code}`})`,
    });
  }
  const [{ size }, sha256] = await Promise.all([stat(archive), hashFile(archive)]);
  return succeed({ bytes: size, manifest_bytes: Number(stdout), sha256 });
}

const PACK_OPTIONS = [
  "--format=posix",
  // Leaves out the process id that tar would put into each name, and times that are not restored.
  "--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime",
  "--sparse",
  "--xattrs",
  "--xattrs-include=user.*",
  "--xattrs-include=security.capability",
  "--numeric-owner",
  // A file deleted since the scan is recorded as removed by the next checkpoint.
  "--ignore-failed-read",
  "--no-recursion",
  "--null",
  "--verbatim-files-from",
];

async function hashFile(path: string): Promise<string> {
  const digest = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) digest.update(chunk);
  return digest.digest("hex");
}
