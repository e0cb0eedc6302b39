// The space of a disk in a machine.

import * as z from "zod";
import { answerList } from "./answer-list.ts";

export const DiskSpace = z.object({
  total_bytes: z.number(),
  free_bytes: z.number(),
  /** How many files and directories it can hold, and how many more; 0 and 0 where that is not limited. */
  total_files: z.number(),
  free_files: z.number(),
});
export type DiskSpace = z.infer<typeof DiskSpace>;

/** A disk on which something could not be written. */
export const FullDisk = DiskSpace.extend({
  /** What takes most of it: the largest files, or the directories with the most entries when `free_files` is 0. */
  largest: answerList(z.object({ path: z.string(), amount: z.number() })),
});
export type FullDisk = z.infer<typeof FullDisk>;

/** A file system refuses large writes while it has some small pieces left, which a few small writes still get. */
const FULL_BYTES = 256 * 1024;

export const isOutOfFiles = (space: DiskSpace): boolean => space.total_files > 0 && space.free_files === 0;

export const isDiskFull = (space: DiskSpace): boolean => space.free_bytes < FULL_BYTES || isOutOfFiles(space);
