// checkpoint-text: a unified diff of one file between two checkpoints, or between a checkpoint and the machine as it is now.

import { lstatSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { FileUpload, LayerUploadResult } from "../../../src/contract/checkpoint-layer.ts";
import type { CheckpointTextRequest, CheckpointTextResult } from "../../../src/contract/checkpoint-text.ts";
import { limits } from "../../../src/contract/limits.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import type { RunnerContext } from "../runner-context.ts";
import { scripts } from "../scripts.ts";
import { receive } from "./receive.ts";
import { runScript } from "./run-script.ts";
import { unpackOptions } from "./unpack.ts";

/** Unpacks one file of a layer for one side of the comparison. */
export async function receiveFile(
  upload: FileUpload,
  source: AsyncIterable<Buffer>,
  { checkpoints }: RunnerContext,
): Promise<Result<LayerUploadResult>> {
  const session = await checkpoints.session("diff", upload.session);
  const target = join(session, upload.side);
  await mkdir(target, { recursive: true, mode: 0o700 });
  const name = upload.path.slice(1);
  const { archive } = await receive(source, {
    manifestFile: join(session, "unused"),
    manifestBytes: upload.manifest_bytes,
    unpack: { args: [...unpackOptions(), "--occurrence=1", "--no-wildcards", "--", name], cwd: target },
  });
  return succeed({ damage: null, trouble: archive?.stderr.trim() ?? "" });
}

export async function checkpointText(
  { session, path, now }: CheckpointTextRequest,
  { checkpoints }: RunnerContext,
): Promise<Result<CheckpointTextResult>> {
  const directory = await checkpoints.session("diff", session);
  const name = path.slice(1);
  const before = fileOrNothing(join(directory, "from", name));
  const after = fileOrNothing(now ? path : join(directory, "to", name));
  const labels = [before === NOTHING ? NOTHING : `a/${name}`, after === NOTHING ? NOTHING : `b/${name}`];
  const { code, stdout, stderr } = await runScript(scripts.diffFiles, {
    args: [String(limits.checkpointDiffChars), ...labels, before, after],
    cwd: "/",
  });
  // When the diff is cut short, diff is ended by its closed pipe, and the script exits with 1 although there is a diff.
  if (code !== 0 && stdout === "") return fail({ reason: "checkpoint_failed", message: stderr.trim() });
  return succeed({ text: Buffer.from(stdout, "latin1").toString("utf8") });
}

const NOTHING = "/dev/null";

const fileOrNothing = (file: string): string =>
  lstatSync(file, { throwIfNoEntry: false })?.isFile() === true ? file : NOTHING;
