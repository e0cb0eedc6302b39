// What a deployment says about when its machines sleep. settings.ts resolves it.

export interface Lifetime {
  /** A machine without work sleeps after this. */
  sleepAfterMs: number;
  /** A running process keeps it awake for so long after the last call. */
  longestAwakeMs: number;
}
