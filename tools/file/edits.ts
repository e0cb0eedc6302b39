// The edits that the arguments of an edit mean: one in the arguments themselves, or a list of them.

import type { FileEdit } from "../../src/contract/file-edit.ts";
import { fail, type Result, succeed } from "../../src/contract/result.ts";
import { type EditArguments, type FileArguments, invalid } from "./arguments.ts";

export function editsOf(input: FileArguments): Result<FileEdit[]> {
  const { old_string, new_string, insert_line, replace_all, edits } = input;
  const single = { old_string, new_string, insert_line, replace_all };
  const isSingle = old_string !== undefined || new_string !== undefined || insert_line !== undefined;
  if (edits !== undefined && isSingle)
    return fail(invalid('Give either "edits" or one edit in the arguments themselves, not both. Nothing was done.'));
  const given: [string, Undefinable<EditArguments>][] =
    edits === undefined ? [["edit", single]] : edits.map((entry, index) => [`edits.${index}`, entry]);
  const resolved: FileEdit[] = [];
  for (const [name, entry] of given) {
    const edit = editOf(name, entry);
    if (!edit.ok) return edit;
    resolved.push(edit.value);
  }
  return succeed(resolved);
}

type Undefinable<Type> = { [Key in keyof Type]: Type[Key] | undefined };

function editOf(
  name: string,
  { old_string, new_string, insert_line, replace_all }: Undefinable<EditArguments>,
): Result<FileEdit> {
  if (new_string === undefined)
    return fail(invalid(`${name} needs "new_string", and "old_string" or "insert_line". An empty new_string deletes.`));
  if (insert_line !== undefined) {
    if (old_string === undefined) return succeed({ kind: "insert", line: insert_line, text: new_string });
    return fail(
      invalid(`${name} has both "old_string" and "insert_line". Give old_string to replace, insert_line to insert.`),
    );
  }
  if (old_string === undefined)
    return fail(invalid(`${name} needs "old_string" to replace, or "insert_line" to insert after.`));
  return succeed({ kind: "replace", old_string, new_string, replace_all: replace_all ?? false });
}
