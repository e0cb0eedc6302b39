// Makes a layer's bytes: the compressed manifest, then the compressed tar archive, in one file.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import type { CheckpointCreateResult } from "../../../src/contract/checkpoint-create.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import type { Lists } from "./changes.ts";
import { runScript } from "./programs.ts";

export async function pack(
  archive: string,
  { manifest, names }: Lists,
): Promise<Result<NonNullable<CheckpointCreateResult["archive"]>>> {
  const { code, stdout, stderr } = await runScript(PACK, {
    args: [archive, manifest, names, ...PACK_OPTIONS],
    cwd: "/",
  });
  if (code !== 0) {
    await rm(archive, { force: true });
    const full = stderr.includes("No space left on device");
    if (full) return fail({ reason: "disk_full", path: archive });
    return fail({
      reason: "checkpoint_failed",
      message: `the archive was not written (${stderr.trim() || `code ${code}`})`,
    });
  }
  const [{ size }, sha256] = await Promise.all([stat(archive), hash(archive)]);
  return succeed({ bytes: size, manifest_bytes: Number(stdout), sha256 });
}

/** tar's code 1 is a file that changed while it was read: the next checkpoint has it again. */
const PACK =
  'out=$1; manifest=$2; names=$3; shift 3; compress < "$manifest" > "$out" || exit 3; stat -c %s "$out"; ' +
  `tar --create "$@" --files-from="$names" | compress >> "$out"; s=("\${PIPESTATUS[@]}"); ` +
  `[ "\${s[0]}" -le 1 ] && [ "\${s[1]}" = 0 ] || exit 4`;

const PACK_OPTIONS = [
  "--format=posix",
  // Without the process id that tar would put into each name, and with nothing that is not restored.
  "--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime",
  "--sparse",
  "--xattrs",
  "--xattrs-include=user.*",
  "--xattrs-include=security.capability",
  "--numeric-owner",
  // What vanished since the scan is told of by the next one.
  "--ignore-failed-read",
  "--no-recursion",
  "--null",
  "--verbatim-files-from",
];

async function hash(path: string): Promise<string> {
  const digest = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) digest.update(chunk);
  return digest.digest("hex");
}
