// The foreseeable faults, as data. format-failure.ts says them to a model; src/http/router.ts maps them to a status.

import * as z from "zod";

export const Failure = z.discriminatedUnion("reason", [
  /** The request itself is wrong; `message` is a sentence that says how. */
  z.object({ reason: z.literal("invalid_request"), message: z.string() }),
  /** Something that was named does not exist. */
  z.object({
    reason: z.literal("not_found"),
    kind: z.enum(["process", "path", "cwd", "operation", "checkpoint", "sandbox", "preview"]),
    name: z.string(),
  }),
  /** A path exists but is of another kind than the request needs. */
  z.object({ reason: z.literal("wrong_kind"), path: z.string(), expected: z.string(), actual: z.string() }),
  /** The operating system refused, in its own words. */
  z.object({ reason: z.literal("refused"), subject: z.string(), message: z.string() }),
  /** There is no file at `path`. `above` is the nearest directory that exists; `similar` are paths near it with a like name. */
  z.object({ reason: z.literal("no_such_path"), path: z.string(), above: z.string(), similar: z.array(z.string()) }),
  /** Something is at `path` already, and the request does not replace it. */
  z.object({ reason: z.literal("exists"), path: z.string(), kind: z.string() }),
  /** A directory with entries, to be deleted without `recursive`. */
  z.object({ reason: z.literal("not_empty"), path: z.string(), entries: z.number() }),
  /** The file does not have the hash it was expected to have; `actual` is null where it has none or is not there. */
  z.object({ reason: z.literal("changed"), path: z.string(), actual: z.string().nullable() }),
  /** There is no room to write `path`; what was there is as it was. */
  z.object({ reason: z.literal("disk_full"), path: z.string() }),
  /** A file too large for what `action` does; sizes in bytes. */
  z.object({
    reason: z.literal("file_too_large"),
    path: z.string(),
    action: z.string(),
    size: z.number(),
    limit: z.number(),
  }),
  /** The text to replace is nowhere in the file. `edit` of `edits`, 1-based; each diff goes from that text to what the file has. */
  z.object({
    reason: z.literal("no_match"),
    path: z.string(),
    edit: z.number(),
    edits: z.number(),
    hint: z.string().nullable(),
    candidates: z.array(z.object({ line: z.number(), end_line: z.number(), diff: z.string() })),
  }),
  /** The text to replace is in the file `count` times; `matches` are the first of them, each with the lines about it. */
  z.object({
    reason: z.literal("ambiguous_match"),
    path: z.string(),
    edit: z.number(),
    edits: z.number(),
    count: z.number(),
    /** False where there are more than `count`. */
    counted_all: z.boolean(),
    matches: z.array(z.object({ line: z.number(), first_line: z.number(), context: z.array(z.string()) })),
    /** Line numbers of all, up to a hundred. */
    lines: z.array(z.number()),
  }),
  /** A process with this id was started with another command. */
  z.object({ reason: z.literal("process_conflict"), process_id: z.string() }),
  /** A process with this id has run before, and its record is gone. */
  z.object({ reason: z.literal("process_forgotten"), process_id: z.string() }),
  /** The process does not take input: it has ended, or was started without an open stdin. */
  z.object({ reason: z.literal("stdin_closed"), process_id: z.string(), status: z.enum(["running", "exited"]) }),
  /** Over a limit of ours; both numbers in `unit`. */
  z.object({
    reason: z.literal("too_large"),
    subject: z.string(),
    actual: z.number(),
    limit: z.number(),
    unit: z.string(),
  }),
  /** A bound on how many of something there may be. */
  z.object({
    reason: z.literal("quota_exceeded"),
    subject: z.string(),
    limit: z.number(),
    /** What to do about it, as a sentence; "End some before starting more." when absent. */
    advice: z.string().optional(),
  }),
  /** The checkpoints of a sandbox take up what they may. */
  z.object({ reason: z.literal("checkpoints_full"), used_bytes: z.number(), quota_bytes: z.number() }),
  /** A checkpoint could not be taken or used; `message` is a clause that says why. */
  z.object({ reason: z.literal("checkpoint_failed"), message: z.string() }),
  /** No machine could be started or reached. */
  z.object({ reason: z.literal("machine_unavailable"), message: z.string(), retry_after_ms: z.number().nullable() }),
  /** The machine this referred to is gone, with what ran in it. */
  z.object({ reason: z.literal("machine_restarted"), process_id: z.string().nullable() }),
  /** The answer did not come in time; what was started goes on. */
  z.object({ reason: z.literal("timeout"), subject: z.string(), after_ms: z.number() }),
  z.object({ reason: z.literal("cancelled") }),
]);
export type Failure = z.infer<typeof Failure>;

export type FailureReason = Failure["reason"];
