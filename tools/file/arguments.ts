// The arguments of the file tool, for all its actions.

import * as z from "zod";
import { ExpectedHash } from "../../src/contract/file.ts";
import { limits } from "../../src/contract/limits.ts";
import { flag, orJson, wholeNumber, withoutNulls } from "../input.ts";
import { sandboxName } from "../sandbox-name.ts";

/** A string, or any other value, which is written as JSON. */
const stringOrJson = () =>
  z.preprocess(
    (value) => (typeof value === "string" || value === undefined ? value : `${JSON.stringify(value, null, 2)}\n`),
    z.string(),
  );

const readingArguments = {
  path: z.string().optional().describe("Relative to /workspace, absolute, or under ~"),
  offset: wholeNumber(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe(
      "read: first line, from 1; negative counts from the end. With base64, first byte, from 0. list: entries to skip",
    ),
  limit: wholeNumber(1, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe(
      `read: lines (default ${limits.fileReadLines}) or bytes. list: entries (default ${limits.fileListEntries})`,
    ),
  column: wholeNumber(1, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe("read: first character of each line, for long lines"),
  depth: wholeNumber(1, limits.fileListDepthMax).optional().describe(`list: levels; default ${limits.fileListDepth}`),
  no_ignore: flag().optional().describe("list: include what git ignores"),
};

const edit = z.strictObject(
  {
    old_string: z.string().optional(),
    new_string: z.string().optional(),
    replace_all: flag().optional(),
    insert_line: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional(),
  },
  {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `unknown key ${JSON.stringify(issue.keys[0])}; the keys are old_string, new_string, replace_all and insert_line`
        : undefined,
  },
);
const writingArguments = {
  content: stringOrJson()
    .optional()
    .describe("write, append: text, or base64 with encoding; an object is written as JSON"),
  if_absent: flag().optional().describe("write: fail if the path exists"),
  old_string: z.string().optional().describe("edit: exact text to replace, without line numbers"),
  new_string: z.string().optional().describe("edit: the replacement, or text to insert"),
  replace_all: flag().optional().describe("edit: every occurrence; otherwise there must be exactly one"),
  insert_line: wholeNumber(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe("edit: insert new_string after this line; 0 is the top"),
  edits: orJson(z.array(z.preprocess(withoutNulls, edit)).min(1))
    .optional()
    .describe("edit: several, in order, each on the result of the one before; all or none"),
  expected_hash: z
    .preprocess((value) => (typeof value === "string" ? value.trim().toLowerCase() : value), ExpectedHash.unwrap())
    .optional()
    .describe("write, append, edit: hash from read or stat; a file that changed since is refused"),
  to: z.string().optional().describe('move, copy: new path; with a trailing "/", the directory to put it in'),
  overwrite: flag().optional().describe("move, copy: replace existing files"),
  recursive: flag().optional().describe("delete: a directory with everything in it"),
  dry_run: flag().optional().describe("Report what would change, change nothing"),
};

export const FileArguments = z.object({
  action: z.enum(["read", "list", "stat", "write", "append", "edit", "mkdir", "move", "copy", "delete"]),
  ...readingArguments,
  encoding: z.enum(["text", "base64"]).optional().describe("base64 for binary; default text"),
  ...writingArguments,
  sandbox: sandboxName(),
});
export type FileArguments = z.infer<typeof FileArguments>;
