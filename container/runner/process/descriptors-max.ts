// The limit of open files of the runner itself.

import { readProcFile } from "../../proc/proc-file.ts";

/** Null where the system does not say. */
export function readDescriptorsMax(): number | null {
  const limit = Number(/^Max open files\s+(\d+)/m.exec(readProcFile("/proc/self/limits") ?? "")?.[1]);
  return Number.isSafeInteger(limit) ? limit : null;
}
