// Formats a directory for a model: a tree by indentation, directories with a slash, and what was omitted.

import type { FileListEntry, FileListResult } from "../../src/contract/file-list.ts";
import { limits } from "../../src/contract/limits.ts";
import { formatBytes } from "../../src/format/format-bytes.ts";
import { formatCount } from "../../src/format/format-count.ts";
import { formatOmitted } from "../../src/format/truncate.ts";
import { formatLocation } from "./format-location.ts";

export function formatTree(value: FileListResult): string {
  const { entries, inside, unreadable } = value;
  const lines = treeLines(entries, inside);
  const fitting = fittingLines(lines);
  const notes: string[] = [];
  if (fitting < lines.length)
    notes.push(`${formatOmitted(lines.length - fitting, "line")} (list one of these directories, or with less depth)`);
  if (unreadable.length > 0) notes.push(`(could not be opened: ${unreadable.join(", ")})`);
  if (value.undecodable_names)
    notes.push("(names with \\xNN contain bytes that are not UTF-8; use exec and a pattern such as * to reach them)");
  return [formatHead(value), ...lines.slice(0, fitting), ...notes].join("\n");
}

function formatHead(value: FileListResult): string {
  const { entries, inside, ignored_names } = value;
  const ignored =
    ignored_names.length === 0 ? "" : `; ignored by git: ${ignored_names.join(", ")} (shown with no_ignore: true)`;
  const location = formatLocation(value).replace(/\/$/, "");
  if (inside.entries === 0) return `${location}/ is empty${ignored}`;
  const files = entries.filter(({ kind }) => kind !== "directory");
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const directories = entries.length - files.length;
  return `${location}/: ${formatCount(inside.entries, "entry", "entries")}; below: ${formatCount(files.length, "file")} (${formatBytes(bytes)}), ${formatCount(directories, "directory", "directories")}${ignored}`;
}

type Inside = NonNullable<FileListEntry["inside"]>;

/** The last entry of a directory is followed by the number of entries that are not listed. */
function treeLines(entries: readonly FileListEntry[], top: Inside): string[] {
  const lines: string[] = [];
  const open: { depth: number; inside: Inside }[] = [{ depth: 0, inside: top }];
  const close = (depth: number) => {
    for (let last = open.at(-1); last !== undefined && last.depth >= depth; last = open.at(-1)) {
      open.pop();
      const more = last.inside.entries - last.inside.listed;
      if (more > 0)
        lines.push(
          `${indent(last.depth + 1)}${formatOmitted(more, "entry", "entries")}${last.depth === 0 ? " (see offset and limit)" : ""}`,
        );
    }
  };
  for (const entry of entries) {
    close(entry.depth);
    lines.push(formatEntry(entry));
    if (entry.inside !== null) open.push({ depth: entry.depth, inside: entry.inside });
  }
  close(0);
  return lines;
}

function formatEntry({ name, depth, kind, size, target, inside }: FileListEntry): string {
  const start = indent(depth) + name;
  switch (kind) {
    case "directory": {
      if (inside === null) return `${start}/`;
      const ignored = inside.ignored === 0 ? "" : `, ${inside.ignored} ignored`;
      return `${start}/  (${formatCount(inside.entries, "entry", "entries")}${ignored})`;
    }
    case "file":
      return `${start}  ${formatBytes(size)}`;
    case "symlink":
      return `${start} -> ${target ?? "?"}`;
    default:
      return `${start}  (${kind})`;
  }
}

const indent = (depth: number): string => "  ".repeat(Math.max(0, depth - 1));

function fittingLines(lines: readonly string[]): number {
  let chars = 0;
  const first = lines.findIndex((line) => {
    chars += line.length + 1;
    return chars > limits.fileReadChars - 1_000;
  });
  return first === -1 ? lines.length : first;
}
