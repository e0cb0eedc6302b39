// The deployment's settings for when machines sleep, resolved by src/config/settings.ts.

export interface Lifetime {
  /** An idle machine sleeps after this time. */
  sleepAfterMs: number;
  /** A running process keeps its machine awake for this time after the last call. */
  longestAwakeMs: number;
}
