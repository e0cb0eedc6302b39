// The arguments of the file tool, and which action takes which: one that an action would not look at is refused, not ignored.

import * as z from "zod";
import type { Failure } from "../../src/contract/failure.ts";
import { ExpectedHash } from "../../src/contract/file.ts";
import { limits } from "../../src/contract/limits.ts";
import { flag, jsonText, wholeNumber } from "../input.ts";
import { sandboxName } from "../sandbox-name.ts";

export const READING = ["read", "list", "stat"] as const;
export const WRITING = ["write", "append", "edit", "mkdir", "move", "copy", "delete"] as const;
export type FileAction = (typeof READING)[number] | (typeof WRITING)[number];

/** What is not text was meant as JSON. */
const textOrJson = () =>
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
  no_ignore: flag().optional().describe("list: also what git ignores"),
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
export type EditArguments = z.infer<typeof edit>;

const withoutNulls = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== null))
    : value;

const writingArguments = {
  content: textOrJson()
    .optional()
    .describe("write, append: text, or base64 with encoding; an object is written as JSON"),
  if_absent: flag().optional().describe("write: fail if the path exists"),
  old_string: z.string().optional().describe("edit: exact text to replace, without line numbers"),
  new_string: z.string().optional().describe("edit: text in its place, or to insert"),
  replace_all: flag().optional().describe("edit: every occurrence; otherwise there must be exactly one"),
  insert_line: wholeNumber(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe("edit: insert new_string after this line; 0 is the top"),
  edits: jsonText(z.array(z.preprocess(withoutNulls, edit)).min(1))
    .optional()
    .describe("edit: several, in order, each on the outcome of the one before; all or none"),
  expected_hash: z
    .preprocess((value) => (typeof value === "string" ? value.trim().toLowerCase() : value), ExpectedHash.unwrap())
    .optional()
    .describe("write, append, edit: hash from read or stat; refuses a file that changed since"),
  to: z.string().optional().describe('move, copy: new path; with a trailing "/", the directory to put it in'),
  overwrite: flag().optional().describe("move, copy: replace files that are there"),
  recursive: flag().optional().describe("delete: a directory with everything in it"),
  dry_run: flag().optional().describe("Say what would change, change nothing"),
};

const encoding = z.enum(["text", "base64"]).optional();

export const allArguments = z.object({
  action: z.enum([...READING, ...WRITING]),
  ...readingArguments,
  encoding: encoding.describe("read, write, append: default text; reading a binary file needs base64"),
  ...writingArguments,
  sandbox: sandboxName(),
});

/** For a caller who may only read: the rest is not there. */
export const onlyReadingArguments = z.object({
  action: z.enum(READING),
  ...readingArguments,
  encoding: encoding.describe("read: default text; a binary file needs base64"),
  sandbox: sandboxName(),
});

export type FileArguments = Partial<Omit<z.infer<typeof allArguments>, "action">> & { action: FileAction };

const TAKES: Record<FileAction, readonly (keyof FileArguments)[]> = {
  read: ["path", "offset", "limit", "column", "encoding"],
  list: ["path", "depth", "offset", "limit", "no_ignore"],
  stat: ["path"],
  write: ["path", "content", "encoding", "if_absent", "expected_hash", "dry_run"],
  append: ["path", "content", "encoding", "expected_hash", "dry_run"],
  edit: ["path", "old_string", "new_string", "replace_all", "insert_line", "edits", "expected_hash", "dry_run"],
  mkdir: ["path", "dry_run"],
  move: ["path", "to", "overwrite", "dry_run"],
  copy: ["path", "to", "overwrite", "dry_run"],
  delete: ["path", "recursive", "dry_run"],
};

const NEEDS: Record<FileAction, readonly (keyof FileArguments)[]> = {
  read: ["path"],
  list: [],
  stat: ["path"],
  write: ["path", "content"],
  append: ["path", "content"],
  edit: ["path"],
  mkdir: ["path"],
  move: ["path", "to"],
  copy: ["path", "to"],
  delete: ["path"],
};

/** Null where the action has what it needs, and takes all that it is given. */
export function argumentFailure(input: FileArguments): Failure | null {
  const { action } = input;
  const missing = NEEDS[action].find((name) => input[name] === undefined);
  if (missing !== undefined) return invalid(`Argument "${missing}" is missing: ${action} needs it.`);
  const takes = TAKES[action];
  const given = Object.keys(input).filter((name) => name !== "action" && name !== "sandbox");
  const unused = given.find((name) => !takes.some((taken) => taken === name) && isGiven(input, name));
  if (unused === undefined) return null;
  return invalid(
    `"${unused}" is not an argument of ${action}, so nothing was done. ${action} takes: ${takes.join(", ")}.`,
  );
}

/** `false` says what its absence says. */
function isGiven(input: FileArguments, name: string): boolean {
  const value = Object.entries(input).find(([key]) => key === name)?.[1];
  return value !== undefined && value !== false;
}

export const invalid = (message: string): Failure => ({ reason: "invalid_request", message });
