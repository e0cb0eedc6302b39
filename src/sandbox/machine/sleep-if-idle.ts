// Puts a machine to sleep if it has nothing to do. The one way there: for the activity timer, for the account that needs the
// room, and for a runner that is outdated.

export interface Sleeper {
  isThere(): boolean;
  /** A call or a start is under way. */
  isBusy(): boolean;
  /** Rises with every call, so that one which came and went meanwhile is noticed too. */
  callCount(): number;
  hasWork(): Promise<boolean>;
  /** Stores the files. False when that failed and the machine has to stay up for their sake. */
  beforeSleep(): Promise<boolean>;
  /** Takes effect at once for every later call, and resolves when the machine is gone. */
  stop(): Promise<void>;
}

export interface SleepOptions {
  /** Processes do not keep it awake any longer. */
  despiteWork: boolean;
}

/** A call that comes before the stop calls it off, and is served; one that comes after it gets the next machine. */
export async function sleepIfIdle(machine: Sleeper, { despiteWork }: SleepOptions): Promise<"asleep" | "busy"> {
  if (machine.isBusy()) return "busy";
  if (!machine.isThere()) return "asleep";
  const before = machine.callCount();
  const isCalled = () => machine.isBusy() || machine.callCount() !== before;
  if (!despiteWork && ((await machine.hasWork()) || isCalled())) return "busy";
  if (!(await machine.beforeSleep()) || isCalled()) return "busy";
  await machine.stop();
  return "asleep";
}
