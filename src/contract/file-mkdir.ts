// file-mkdir: creates a directory and its missing parents.

import * as z from "zod";
import { answerList } from "./answer-list.ts";
import { FilePath, ResolvedPath } from "./file.ts";

export const FileMkdirRequest = z.object({ path: FilePath, dry_run: z.boolean() });
export type FileMkdirRequest = z.infer<typeof FileMkdirRequest>;

export const FileMkdirResult = ResolvedPath.extend({
  dry_run: z.boolean(),
  /** The directories created, parents first; empty when the directory already existed. */
  created: answerList(z.string()),
});
export type FileMkdirResult = z.infer<typeof FileMkdirResult>;
