// Foreseeable faults, as data. src/format/format-failure.ts turns them into text and src/http/failure-status.ts into a
// status.

import * as z from "zod";
import { answerList } from "./answer-list.ts";
import { FullDisk } from "./disk.ts";

export const Failure = z.discriminatedUnion("reason", [
  /** The request is not valid; `message` is a sentence that says why. */
  z.object({ reason: z.literal("invalid_request"), message: z.string() }),
  /** A named thing does not exist. */
  z.object({
    reason: z.literal("not_found"),
    kind: z.enum(["process", "path", "cwd", "operation", "checkpoint", "sandbox", "preview"]),
    name: z.string(),
  }),
  /** The path exists but is not of the kind that the request needs. */
  z.object({ reason: z.literal("wrong_kind"), path: z.string(), expected: z.string(), actual: z.string() }),
  /** The operating system refused; `message` is its error text. */
  z.object({ reason: z.literal("refused"), subject: z.string(), message: z.string() }),
  /**
   * There is no file at `path`. `above` is the nearest existing parent directory; `similar` are nearby paths with similar
   * names.
   */
  z.object({ reason: z.literal("no_such_path"), path: z.string(), above: z.string(), similar: answerList(z.string()) }),
  /** Something already exists at `path`, and the request does not replace it. */
  z.object({ reason: z.literal("exists"), path: z.string(), kind: z.string() }),
  /** The directory has entries, and the request deletes it without `recursive`. */
  z.object({ reason: z.literal("not_empty"), path: z.string(), entries: z.number() }),
  /** The file does not have the expected hash; `actual` is null when the file is missing or too large to be hashed. */
  z.object({ reason: z.literal("changed"), path: z.string(), actual: z.string().nullable() }),
  /** The disk has no space to write `path`; the previous content is unchanged. `disk` is null when the system does not tell. */
  z.object({ reason: z.literal("disk_full"), path: z.string(), disk: FullDisk.nullable().default(null) }),
  /** The file is too large for `action`; `size` and `limit` are in bytes. */
  z.object({
    reason: z.literal("file_too_large"),
    path: z.string(),
    action: z.string(),
    size: z.number(),
    limit: z.number(),
  }),
  /**
   * The text to replace does not occur in the file. `edit` is the 1-based number of the edit, of `edits`. Each candidate's
   * diff goes from the text to replace to the similar lines of the file.
   */
  z.object({
    reason: z.literal("no_match"),
    path: z.string(),
    edit: z.number(),
    edits: z.number(),
    hint: z.string().nullable(),
    candidates: answerList(z.object({ line: z.number(), end_line: z.number(), diff: z.string() })),
  }),
  /** The text to replace occurs `count` times in the file; `matches` are the first ones, each with the surrounding lines. */
  z.object({
    reason: z.literal("ambiguous_match"),
    path: z.string(),
    edit: z.number(),
    edits: z.number(),
    count: z.number(),
    /** False when there are more than `count` matches. */
    counted_all: z.boolean(),
    matches: answerList(z.object({ line: z.number(), first_line: z.number(), context: answerList(z.string()) })),
    /** The line numbers of all matches, up to a hundred. */
    lines: answerList(z.number()),
  }),
  /** A process with this id was started with a different command. */
  z.object({ reason: z.literal("process_conflict"), process_id: z.string() }),
  /** A process with this id ran before, and its record was dropped. */
  z.object({ reason: z.literal("process_forgotten"), process_id: z.string() }),
  /** The process takes no input: it has ended or was started without an open stdin. */
  z.object({ reason: z.literal("stdin_closed"), process_id: z.string(), status: z.enum(["running", "exited"]) }),
  /** `subject` exceeds a limit of this server; `actual` and `limit` are in `unit`. */
  z.object({
    reason: z.literal("too_large"),
    subject: z.string(),
    actual: z.number(),
    limit: z.number(),
    unit: z.string(),
  }),
  /**
   * Code cannot be given all output of its process, and is never given a part as if it were all. `limit` is the most bytes of
   * both streams together; below it, the log does not have all of the output.
   */
  z.object({
    reason: z.literal("output_incomplete"),
    process_id: z.string(),
    /** Null while it runs. */
    exit_code: z.number().nullable(),
    stdout_bytes: z.number(),
    stderr_bytes: z.number(),
    limit: z.number(),
    stdout_log: z.string().nullable(),
    stderr_log: z.string().nullable(),
  }),
  /** There may be at most `limit` of `subject`. */
  z.object({
    reason: z.literal("quota_exceeded"),
    subject: z.string(),
    limit: z.number(),
    /** The next step, as a sentence; "End some before starting more." when absent. */
    advice: z.string().optional(),
  }),
  /** The checkpoints of the sandbox have used up their quota. */
  z.object({ reason: z.literal("checkpoints_full"), used_bytes: z.number(), quota_bytes: z.number() }),
  /** A checkpoint could not be taken or restored; `message` is a clause that says why. */
  z.object({ reason: z.literal("checkpoint_failed"), message: z.string() }),
  /** No machine could be started or reached. */
  z.object({ reason: z.literal("machine_unavailable"), message: z.string(), retry_after_ms: z.number().nullable() }),
  /** The machine that the request refers to is gone, with all its processes. */
  z.object({ reason: z.literal("machine_restarted"), process_id: z.string().nullable() }),
  /** The answer did not come in time; what was started continues to run. */
  z.object({ reason: z.literal("timeout"), subject: z.string(), after_ms: z.number() }),
  /** The caller cancelled the request. */
  z.object({ reason: z.literal("cancelled") }),
]);
export type Failure = z.infer<typeof Failure>;

export type FailureReason = Failure["reason"];
