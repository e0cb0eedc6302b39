// Counts a call to a sandbox as activity while it is in flight, and has the files stored that it may change.

import type { SandboxFiles } from "./checkpoints/sandbox-files.ts";
import type { Activity } from "./machine/activity.ts";
import { once } from "./once.ts";

/** The returned function is to be called when the call is over; further calls of it do nothing. */
export function beginCall(
  { activity, files }: { activity: Activity; files: SandboxFiles },
  { changesFiles }: { changesFiles: boolean },
): () => void {
  const end = activity.beginCall();
  if (!changesFiles) return end;
  const endChange = files.beginChange();
  return once(() => {
    endChange();
    end();
  });
}
