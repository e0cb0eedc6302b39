// Resolves what a caller gives for an edit into the request of `file-edit`: one edit in the arguments themselves, or a list.

import type { FileEdit, FileEditRequest } from "../contract/file-edit.ts";
import { fail, type Result, succeed } from "../contract/result.ts";

export interface EditInput {
  old_string?: string | undefined;
  new_string?: string | undefined;
  replace_all?: boolean | undefined;
  insert_line?: number | undefined;
}

export interface FileEditInput extends EditInput {
  path: string;
  edits?: EditInput[] | undefined;
  expected_hash?: string | undefined;
  dry_run?: boolean | undefined;
}

export function resolveFileEdit(input: FileEditInput): Result<FileEditRequest> {
  const { path, edits, expected_hash, dry_run = false, ...single } = input;
  if (edits !== undefined && isGiven(single))
    return refuse('Send either "edits" or one edit in the arguments themselves, not both. Nothing was done.');
  const resolved: FileEdit[] = [];
  for (const [index, entry] of (edits ?? [single]).entries()) {
    const edit = resolveEdit(edits === undefined ? "edit" : `edits.${index}`, entry);
    if (!edit.ok) return edit;
    resolved.push(edit.value);
  }
  return succeed({ path, edits: resolved, expected_hash: expected_hash ?? null, dry_run });
}

/** `replace_all: false` means the same as its absence. */
const isGiven = ({ old_string, new_string, replace_all, insert_line }: EditInput): boolean =>
  old_string !== undefined || new_string !== undefined || insert_line !== undefined || replace_all === true;

function resolveEdit(
  name: string,
  { old_string, new_string, insert_line, replace_all = false }: EditInput,
): Result<FileEdit> {
  if (new_string === undefined)
    return refuse(`${name} needs "new_string", and "old_string" or "insert_line". An empty new_string deletes.`);
  if (insert_line !== undefined) {
    if (old_string === undefined) return succeed({ kind: "insert", line: insert_line, text: new_string });
    return refuse(
      `${name} has both "old_string" and "insert_line". Send old_string to replace, insert_line to insert.`,
    );
  }
  if (old_string === undefined)
    return refuse(`${name} needs "old_string" to replace, or "insert_line" to insert after a line.`);
  return succeed({ kind: "replace", old_string, new_string, replace_all });
}

const refuse = (message: string): Result<never> => fail({ reason: "invalid_request", message });
