// Notices that a runner has stopped while an answer that may take long is waited for.

import { limits } from "../../contract/limits.ts";

/** Asks again and again, and calls `onSilence` once when there is no answer. The returned function ends the watch. */
export function watchPulse(responds: () => Promise<boolean>, onSilence: () => void): () => void {
  let hasEnded = false;
  const check = async () => {
    const isAlive = await responds();
    if (hasEnded) return;
    if (isAlive) timer = setTimeout(check, limits.runnerPulseMs);
    else onSilence();
  };
  let timer = setTimeout(check, limits.runnerPulseMs);
  return () => {
    hasEnded = true;
    clearTimeout(timer);
  };
}
