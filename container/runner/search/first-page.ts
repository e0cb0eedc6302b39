// The first page of a search in the order of paths, fast for rare hits and for frequent ones. In that order ripgrep uses one
// thread, but may be stopped at the end of the page; with all threads there is no order until the end. So it starts in order,
// and where hits turn out to be rare starts again on all threads.

/** How one run is to be read. */
export interface Run {
  sorted: boolean;
  signal: AbortSignal;
  /** Soon after so many hits the run is ended. */
  hitsMax: number;
  progress: Progress;
}

/** Kept up to date by whoever reads the run. */
export interface Progress {
  hits: number;
  /** What ripgrep's one thread has spent: unlike the time of day, it does not depend on what else runs. */
  processorMs: () => number;
}

export interface Gathered {
  /** `whole`: ripgrep came to its end; `enough`: `hitsMax` was reached; `stopped`: by the signal. */
  ended: "whole" | "enough" | "stopped";
}

/** A run that has given enough may still come to its end by itself within this; then the total is known. */
export const GRACE_MS = 3;

/** How often the ordered run is looked at, and the time it must have had before it is judged. */
const LOOK_MS = 2;
const TRIAL_MS = 5;
/** An ordered run that is expected to fill its page within this goes on. */
const PATIENCE_MS = 120;
/** Hits after which an unordered run is a waste: an ordered one fills its page sooner. */
const UNORDERED_HITS_MAX = 5_000;

export async function gather<Found extends Gathered>(
  read: (run: Run) => Promise<Found>,
  { hitsMax, signal, single }: { hitsMax: number; signal: AbortSignal; single: boolean },
): Promise<Found> {
  const inOrder = (limit: AbortSignal, progress: Progress) => read({ sorted: true, signal: limit, hitsMax, progress });
  if (single) return inOrder(signal, { hits: 0, processorMs: () => 0 });
  const trial = new AbortController();
  const progress: Progress = { hits: 0, processorMs: () => 0 };
  const timer = setInterval(() => {
    const spent = progress.processorMs();
    if (spent < TRIAL_MS) return;
    clearInterval(timer);
    if ((spent * hitsMax) / progress.hits > PATIENCE_MS) trial.abort();
  }, LOOK_MS);
  const first = await inOrder(AbortSignal.any([signal, trial.signal]), progress).finally(() => clearInterval(timer));
  if (first.ended !== "stopped" || signal.aborted) return first;
  const second = await read({ sorted: false, signal, hitsMax: UNORDERED_HITS_MAX, progress: { ...progress, hits: 0 } });
  return second.ended === "enough" ? inOrder(signal, { ...progress, hits: 0 }) : second;
}
