// Finds the first page of a search in the order of paths, fast for rare hits and for frequent ones. A sorted run of ripgrep uses
// one thread, but can be stopped at the end of the page. A run on all threads has no order until its end. So the search starts
// sorted, and starts again on all threads when hits turn out to be rare.

/** How one run is read. */
export interface RunSettings {
  sorted: boolean;
  signal: AbortSignal;
  /** The run is ended soon after this many hits. */
  hitsMax: number;
  progress: Progress;
}

/** Kept up to date by the reader of the run. */
export interface Progress {
  hits: number;
  /** The processor time of ripgrep's one thread, which unlike wall time does not depend on what else runs. */
  processorMs: () => number;
}

export interface RunOutcome {
  /** `whole`: ripgrep came to its end. `enough`: `hitsMax` was reached. `stopped`: the signal ended it. */
  ended: "whole" | "enough" | "stopped";
}

/** How long a run that has found enough may continue: if it finishes within this time, the total is known. */
export const GRACE_MS = 3;

/** How often the sorted run is checked, and how much processor time it gets before it is judged. */
const CHECK_EVERY_MS = 2;
const TRIAL_MS = 5;
/** A sorted run that is expected to fill its page within this time continues. */
const SORTED_MAX_MS = 120;
/** An unsorted run with more hits is stopped: a sorted one fills its page sooner. */
const UNSORTED_HITS_MAX = 5_000;

export async function findFirstPage<Found extends RunOutcome>(
  read: (run: RunSettings) => Promise<Found>,
  { hitsMax, signal, single }: { hitsMax: number; signal: AbortSignal; single: boolean },
): Promise<Found> {
  const readSorted = (limit: AbortSignal, progress: Progress) =>
    read({ sorted: true, signal: limit, hitsMax, progress });
  if (single) return readSorted(signal, { hits: 0, processorMs: () => 0 });
  const trial = new AbortController();
  const progress: Progress = { hits: 0, processorMs: () => 0 };
  const timer = setInterval(() => {
    const spent = progress.processorMs();
    if (spent < TRIAL_MS) return;
    clearInterval(timer);
    if ((spent * hitsMax) / progress.hits > SORTED_MAX_MS) trial.abort();
  }, CHECK_EVERY_MS);
  const first = await readSorted(AbortSignal.any([signal, trial.signal]), progress).finally(() => clearInterval(timer));
  if (first.ended !== "stopped" || signal.aborted) return first;
  const second = await read({ sorted: false, signal, hitsMax: UNSORTED_HITS_MAX, progress: { ...progress, hits: 0 } });
  return second.ended === "enough" ? readSorted(signal, { ...progress, hits: 0 }) : second;
}
