// Puts a machine to sleep if it is idle. All three reasons to sleep use this: the sleep time is over, the account needs the slot
// for another machine, or the runner is outdated.

export interface Sleeper {
  /** A machine is running and is not being stopped. */
  readonly isThere: boolean;
  /** A call or a start is under way. */
  readonly isBusy: boolean;
  /** Grows with every call, so that a call which began and ended during a wait is noticed too. */
  readonly callCount: number;
  hasWork(): Promise<boolean>;
  /** Stores the files. Resolves to false when that failed and the machine must stay up to keep them. */
  beforeSleep(): Promise<boolean>;
  /** Applies at once to every later call, and resolves when the machine has ended. */
  stop(): Promise<void>;
}

export interface SleepOptions {
  /** Running processes do not keep the machine awake. */
  despiteWork: boolean;
}

/** A call that arrives before the stop is served and prevents it; one that arrives later gets the next machine. */
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
