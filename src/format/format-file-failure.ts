// Formats the failures of the file operations for a model; format-failure.ts has the others.

import type { Failure } from "../contract/failure.ts";
import { formatNumber } from "./format-count.ts";

type FailureOf<Reason extends Failure["reason"]> = Extract<Failure, { reason: Reason }>;

export function formatNoSuchPath({ path, above, similar }: FailureOf<"no_such_path">): string {
  const missing = `"${path}" does not exist.`;
  if (similar.length > 0) return `${missing} Did you mean ${similar.map((name) => `"${name}"`).join(" or ")}?`;
  return `${missing} The nearest directory above it is "${above}"; look there with file list.`;
}

export function formatWrongKind({ path, actual, expected }: FailureOf<"wrong_kind">): string {
  const next = actual === "a directory" ? "List it with file list." : `Name ${expected}.`;
  return `"${path}" is ${actual}, not ${expected}. ${next}`;
}

export function formatExists({ path, kind }: FailureOf<"exists">): string {
  const next =
    kind === "a directory"
      ? 'Choose another path; to move or copy into it, end the path with "/".'
      : "Choose another path, or replace it: overwrite: true in move and copy, no if_absent in write.";
  return `"${path}" exists (${kind}), and nothing was changed. ${next}`;
}

export function formatChanged({ path, actual }: FailureOf<"changed">): string {
  const state = actual === null ? "It no longer exists" : `Its hash is now ${actual.slice(0, 16)}`;
  return `"${path}" does not have the expected_hash, and nothing was written. ${state}. Read it again, then make the change to its current content.`;
}

export const formatFileTooLarge = ({ path, action, size, limit }: FailureOf<"file_too_large">): string =>
  `"${path}" is ${formatNumber(size)} bytes, and ${action} takes files up to ${formatNumber(limit)} bytes. Nothing was changed. Use a program through exec instead.`;

export function formatNoMatch({ path, edit, edits, hint, candidates }: FailureOf<"no_match">): string {
  const parts = [`old_string${formatEdit(edit, edits)} is not in "${path}". Nothing was written.`];
  if (hint !== null) parts.push(hint);
  if (candidates.length === 0 && hint === null) parts.push("Nothing in the file resembles it.");
  if (candidates.length > 0) {
    parts.push(`The nearest text (- is old_string, + is the file):`);
    for (const { line, end_line, diff } of candidates) {
      parts.push(`${line === end_line ? `line ${line}` : `lines ${line}-${end_line}`}:\n${diff}`);
    }
  }
  parts.push("Read the file, and send old_string exactly as it is there.");
  return parts.join("\n");
}

export function formatAmbiguousMatch(failure: FailureOf<"ambiguous_match">): string {
  const { path, edit, edits, count, counted_all, matches, lines } = failure;
  const more = count > lines.length ? ` and ${formatNumber(count - lines.length)} more` : "";
  const times = counted_all ? formatNumber(count) : `more than ${formatNumber(count)}`;
  const where = `${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}${more}`;
  return [
    `old_string${formatEdit(edit, edits)} is in "${path}" ${times} times, at ${where}. Nothing was written.`,
    ...matches.map(({ line, first_line, context }) =>
      context.map((text, index) => formatContextLine(first_line + index, line, text)).join("\n"),
    ),
    "Add surrounding lines to old_string so that only one place matches, or set replace_all: true to change all of them.",
  ].join("\n");
}

const formatContextLine = (number: number, matched: number, text: string): string =>
  `${number === matched ? ">" : " "} ${number}\t${text}`;

/** Names the edit when the call had several. */
const formatEdit = (edit: number, edits: number): string => (edits === 1 ? "" : ` of edit ${edit} of ${edits}`);
