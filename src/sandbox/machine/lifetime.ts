// The deployment's settings for when machines sleep. src/config/settings.ts resolves them.

export interface Lifetime {
  /** A machine without work sleeps after this time. */
  sleepAfterMs: number;
  /** A running process keeps its machine awake for this time after the last call. */
  longestAwakeMs: number;
}
