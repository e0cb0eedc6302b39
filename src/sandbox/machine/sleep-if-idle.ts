// Puts a machine to sleep if it has nothing to do. Every reason to sleep goes this way: the sleep time is over, the account needs
// the place, or the runner is outdated.

export interface Sleeper {
  /** A machine is there and is not being stopped. */
  readonly isThere: boolean;
  /** A call or a start is under way. */
  readonly isBusy: boolean;
  /** Rises with every call, so that a call which came and ended during a wait is noticed too. */
  readonly callCount: number;
  hasWork(): Promise<boolean>;
  /** Stores the files. False when that failed and the machine has to stay up to keep them. */
  beforeSleep(): Promise<boolean>;
  /** Takes effect at once for every later call, and resolves when the machine is gone. */
  stop(): Promise<void>;
}

export interface SleepOptions {
  /** Running processes do not keep the machine awake. */
  despiteWork: boolean;
}

/** A call that comes before the stop prevents it, and is served; one that comes after it gets the next machine. */
export async function sleepIfIdle(sleeper: Sleeper, { despiteWork }: SleepOptions): Promise<"asleep" | "busy"> {
  if (sleeper.isBusy) return "busy";
  if (!sleeper.isThere) return "asleep";
  const before = sleeper.callCount;
  const wasCalled = () => sleeper.isBusy || sleeper.callCount !== before;
  if (!despiteWork && ((await sleeper.hasWork()) || wasCalled())) return "busy";
  if (!(await sleeper.beforeSleep()) || wasCalled()) return "busy";
  await sleeper.stop();
  return "asleep";
}
