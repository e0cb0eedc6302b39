// Says the failures of the file operations to a model; failure-words.ts has the others.

import type { Failure } from "../contract/failure.ts";

type FailureOf<Reason extends Failure["reason"]> = Extract<Failure, { reason: Reason }>;

export function noSuchPathWords({ path, above, similar }: FailureOf<"no_such_path">): string {
  const missing = `"${path}" does not exist.`;
  if (similar.length > 0) return `${missing} Did you mean ${similar.map((name) => `"${name}"`).join(" or ")}?`;
  return `${missing} The nearest directory above it is "${above}"; look there with file list.`;
}

export function wrongKindWords({ path, actual, expected }: FailureOf<"wrong_kind">): string {
  const next = actual === "a directory" ? "List it with file list." : `Name ${expected}.`;
  return `"${path}" is ${actual}, not ${expected}. ${next}`;
}

export function existsWords({ path, kind }: FailureOf<"exists">): string {
  const next =
    kind === "a directory"
      ? 'Choose another path; to move or copy into it, end the path with "/".'
      : "Choose another path, or replace it: overwrite: true in move and copy, no if_absent in write.";
  return `"${path}" exists (${kind}), and nothing was changed. ${next}`;
}

export function changedWords({ path, actual }: FailureOf<"changed">): string {
  const state = actual === null ? "It is not there any more" : `Its hash is now ${actual.slice(0, 16)}`;
  return `"${path}" is not the file that expected_hash names, and nothing was written. ${state}. Read it again, then make the change to what it says now.`;
}

export const fileTooLargeWords = ({ path, action, size, limit }: FailureOf<"file_too_large">): string =>
  `"${path}" is ${size} bytes, and ${action} takes files up to ${limit} bytes. Nothing was changed. Work on it with a program through exec.`;

export function noMatchWords({ path, edit, edits, hint, candidates }: FailureOf<"no_match">): string {
  const parts = [`old_string${ofEdits(edit, edits)} is not in "${path}". Nothing was written.`];
  if (hint !== null) parts.push(hint);
  if (candidates.length === 0 && hint === null) parts.push("Nothing in the file resembles it.");
  if (candidates.length > 0) {
    parts.push(`The nearest text (- is old_string, + is the file):`);
    for (const { line, end_line, diff } of candidates) {
      parts.push(`${line === end_line ? `line ${line}` : `lines ${line}-${end_line}`}:\n${diff}`);
    }
  }
  parts.push("Read the lines in question, and send old_string exactly as the file has it.");
  return parts.join("\n");
}

export function ambiguousWords({
  path,
  edit,
  edits,
  count,
  counted_all,
  matches,
  lines,
}: FailureOf<"ambiguous_match">): string {
  const more = count > lines.length ? ` and ${count - lines.length} more` : "";
  const parts = [
    `old_string${ofEdits(edit, edits)} is in "${path}" ${counted_all ? count : `more than ${count}`} times, at ${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}${more}. Nothing was written.`,
  ];
  for (const { line, first_line, context } of matches) {
    parts.push(context.map((text, index) => contextLine(first_line + index, line, text)).join("\n"));
  }
  parts.push("Add lines around the one you mean to old_string, or set replace_all: true to change all of them.");
  return parts.join("\n");
}

const contextLine = (number: number, matched: number, text: string): string =>
  `${number === matched ? ">" : " "} ${number}\t${text}`;

const ofEdits = (edit: number, edits: number): string => (edits === 1 ? "" : ` of edit ${edit} of ${edits}`);
