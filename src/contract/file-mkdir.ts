// file-mkdir: a directory, with those above it.

import * as z from "zod";
import { FilePath, FilePlaceReport } from "./file.ts";

export const FileMkdirRequest = z.object({ path: FilePath, dry_run: z.boolean() });
export type FileMkdirRequest = z.infer<typeof FileMkdirRequest>;

export const FileMkdirResult = FilePlaceReport.extend({
  dry_run: z.boolean(),
  /** From the top down; empty where it was there already. */
  created: z.array(z.string()),
});
export type FileMkdirResult = z.infer<typeof FileMkdirResult>;
