// The foreseeable faults, as data. failure-words.ts says them to a model; src/http.ts maps them to a status.

import * as z from "zod";

export const Failure = z.discriminatedUnion("reason", [
  /** The request itself is wrong; `message` is a sentence that says how. */
  z.object({ reason: z.literal("invalid_request"), message: z.string() }),
  /** Something that was named does not exist. */
  z.object({
    reason: z.literal("not_found"),
    kind: z.enum(["process", "path", "cwd", "operation"]),
    name: z.string(),
  }),
  /** A path exists but is of another kind than the request needs. */
  z.object({ reason: z.literal("wrong_kind"), path: z.string(), expected: z.string(), actual: z.string() }),
  /** The operating system refused, in its own words. */
  z.object({ reason: z.literal("refused"), subject: z.string(), message: z.string() }),
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
  z.object({ reason: z.literal("quota_exceeded"), subject: z.string(), limit: z.number() }),
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
