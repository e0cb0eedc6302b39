// checkpoint-text: how one file or link differs between two checkpoints, or between a checkpoint and the machine as it is now.

import { lstatSync, readlinkSync, symlinkSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FileUpload, LayerUploadResult } from "../../../src/contract/checkpoint-layer.ts";
import type { CheckpointTextRequest, CheckpointTextResult } from "../../../src/contract/checkpoint-text.ts";
import { limits } from "../../../src/contract/limits.ts";
import { fail, type Result, succeed } from "../../../src/contract/result.ts";
import type { RunnerContext } from "../runner-context.ts";
import { scripts } from "../scripts.ts";
import { pathBytes } from "./entry.ts";
import { receive } from "./receive.ts";
import { runScript } from "./run-script.ts";
import { unlessNotStarted } from "./script-start.ts";
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
  // The name may not be UTF-8, which an argument has to be.
  const names = join(session, `names-${upload.side}`);
  const storedAs = upload.stored_as ?? upload.path;
  await writeFile(names, Buffer.concat([pathBytes(storedAs.slice(1)), NUL]));
  const select = ["--occurrence=1", "--no-wildcards", "--null", "--verbatim-files-from"];
  const { archive } = await receive(source, {
    manifestFile: join(session, "unused"),
    manifestBytes: upload.manifest_bytes,
    unpack: { args: [...unpackOptions(), ...select, `--files-from=${names}`], cwd: target },
  });
  const trouble = archive?.stderr.trim() ?? "";
  const link = HARD_LINK.exec(trouble)?.[1];
  if (link !== undefined) return succeed({ damage: null, trouble: "", stored_as: `/${unquote(link)}` });
  if (storedAs !== upload.path && trouble === "") await placeAt(target, storedAs, upload.path);
  return succeed({ damage: null, trouble, stored_as: null });
}

/** What tar says of the second name of a file, whose contents the archive has under the first. */
const HARD_LINK = /Cannot hard link to '([^\n]*)': No such file or directory/;

/** Undoes tar's quoting: a backslash before what is special, and octal numbers for bytes that are not ASCII. */
const unquote = (text: string): string =>
  text.replace(/\\([0-7]{3}|.)/g, (_, escaped: string) => {
    if (escaped.length === 3) return String.fromCharCode(Number.parseInt(escaped, 8));
    return ESCAPES[escaped] ?? escaped;
  });

const ESCAPES: Record<string, string> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" };

async function placeAt(directory: string, from: string, to: string): Promise<void> {
  const [source, target] = [pathBytes(`${directory}${from}`), pathBytes(`${directory}${to}`)];
  await mkdir(target.subarray(0, target.lastIndexOf("/")), { recursive: true, mode: 0o700 });
  await rename(source, target);
}

const NUL = Buffer.from([0]);

export const checkpointText = (
  request: CheckpointTextRequest,
  context: RunnerContext,
): Promise<Result<CheckpointTextResult>> => unlessNotStarted(() => compareText(request, context));

async function compareText(
  { session, path, now }: CheckpointTextRequest,
  { checkpoints }: RunnerContext,
): Promise<Result<CheckpointTextResult>> {
  const directory = await checkpoints.session("diff", session);
  const before = sideAt(pathBytes(`${join(directory, "from")}${path}`));
  const after = sideAt(pathBytes(now ? path : `${join(directory, "to")}${path}`));
  const links = linkLines(before, after);
  const files = [await fileOf(before, join(directory, "before")), await fileOf(after, join(directory, "after"))];
  const name = Buffer.from(path.slice(1), "latin1").toString("utf8");
  const labels = files.map((file, index) => (file === NOTHING ? NOTHING : `${index === 0 ? "a" : "b"}/${name}`));
  const { code, stdout, stderr } = await runScript(scripts.diffFiles, {
    args: [String(limits.checkpointDiffChars), ...labels, ...files],
    cwd: "/",
  });
  // When the diff is cut short, diff is ended by its closed pipe, and the script exits with 1 although there is a diff.
  if (code !== 0 && stdout === "") return fail({ reason: "checkpoint_failed", message: stderr.trim() });
  return succeed({ text: `${links}${Buffer.from(stdout, "latin1").toString("utf8")}` });
}

const NOTHING = "/dev/null";

/** One side of the comparison. */
type Side = { kind: "file"; path: Buffer } | { kind: "link"; target: string } | null;

function sideAt(path: Buffer): Side {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() === true) return { kind: "link", target: readlinkSync(path) };
  return stats?.isFile() === true ? { kind: "file", path } : null;
}

/** Links are compared by their targets, as text that looks like a diff. */
function linkLines(before: Side, after: Side): string {
  const old = before?.kind === "link" ? before.target : null;
  const now = after?.kind === "link" ? after.target : null;
  if (old === now) return "";
  return `${old === null ? "" : `-symlink to "${old}"\n`}${now === null ? "" : `+symlink to "${now}"\n`}`;
}

/** A name for the file that can be an argument: a link to it, because its own may not be UTF-8. */
async function fileOf(side: Side, link: string): Promise<string> {
  if (side?.kind !== "file") return NOTHING;
  await rm(link, { force: true });
  symlinkSync(side.path, link);
  return link;
}
