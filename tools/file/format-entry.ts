// Formats files and directories as a whole for a model: what they are, and where they were moved.

import type { FileCopyResult } from "../../src/contract/file-copy.ts";
import type { FileDeleteResult } from "../../src/contract/file-delete.ts";
import type { FileMkdirResult } from "../../src/contract/file-mkdir.ts";
import type { FileMoveResult } from "../../src/contract/file-move.ts";
import type { FileStatResult } from "../../src/contract/file-stat.ts";
import { formatExactBytes } from "../../src/format/format-bytes.ts";
import { formatCount, formatNumber } from "../../src/format/format-count.ts";
import { formatLocation } from "./format-location.ts";

export function formatStat(value: FileStatResult): string {
  const { kind, what, entries, owner, links, link_target, sha256 } = value;
  const parts = [what === null ? kind : `${kind} (${what})`];
  if (kind === "file") parts.push(formatExactBytes(value.size));
  if (entries !== null) parts.push(formatCount(entries, "entry", "entries"));
  parts.push(`mode ${value.mode}`, `owner ${owner.uid}:${owner.gid}`);
  if (links > 1 && kind === "file") parts.push(`${formatNumber(links)} names (hard links)`);
  parts.push(`modified ${formatTime(value.modified_at)}`, `changed ${formatTime(value.changed_at)}`);
  if (value.created_at !== null) parts.push(`created ${formatTime(value.created_at)}`);
  const lines = [`${formatLocation(value)}: ${parts.join(", ")}`];
  if (link_target !== null)
    lines.push(`It is a symlink to "${link_target}"${kind === "symlink" ? ", which does not exist" : ""}.`);
  if (sha256 !== null) lines.push(`sha256 ${sha256}`);
  return lines.join("\n");
}

export function formatCreated({ dry_run, created, ...location }: FileMkdirResult): string {
  if (created.length === 0) return `${formatLocation(location)} exists already.`;
  const parents =
    created.length === 1 ? "" : `, with ${formatCount(created.length - 1, "parent directory", "parent directories")}`;
  return `${formatVerb(dry_run, "Created", "create")} ${formatLocation(location)}${parents}.`;
}

export function formatMoved({ from, to, kind, dry_run, replaced }: FileMoveResult): string {
  const what = kind === "file" ? "" : `${kind} `;
  return `${formatVerb(dry_run, "Moved", "move")} ${what}${from} to ${to}${replaced ? ", replacing what was there" : ""}.`;
}

export function formatCopied(value: FileCopyResult): string {
  const replaced = value.replaced === 0 ? "" : `, replacing ${formatCount(value.replaced, "file")}`;
  return `${formatVerb(value.dry_run, "Copied", "copy")} ${value.from} to ${value.to}: ${formatAmount(value)}${replaced}.`;
}

export function formatDeleted(value: FileDeleteResult): string {
  const what = value.kind === "file" ? "" : `${value.kind} `;
  const size = value.kind === "directory" ? `: ${value.counted_all ? "" : "at least "}${formatAmount(value)}` : "";
  return `${formatVerb(value.dry_run, "Deleted", "delete")} ${what}${value.path}${size}.`;
}

function formatAmount({ files, directories, bytes }: { files: number; directories: number; bytes: number }): string {
  const inside = directories === 0 ? "" : ` in ${formatCount(directories, "directory", "directories")}`;
  return `${formatCount(files, "file")}${inside}, ${formatExactBytes(bytes)}`;
}

const formatVerb = (dryRun: boolean, past: string, verb: string): string =>
  dryRun ? `Dry run, nothing was changed: would ${verb}` : past;

const formatTime = (epochMs: number): string => new Date(epochMs).toISOString();
