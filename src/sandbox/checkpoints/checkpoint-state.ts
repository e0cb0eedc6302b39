// The single values that a sandbox stores about its checkpoints besides the index, each under one key.

import type { KeyValues } from "../storage/key-values.ts";

export class CheckpointState {
  readonly #kv: KeyValues;

  constructor(kv: KeyValues) {
    this.#kv = kv;
  }

  /** The boot id of the last machine that ended with all of its files stored; null if there was none. */
  get cleanStop(): string | null {
    return this.#kv.get<string | null>(CLEAN_STOP_KEY) ?? null;
  }

  set cleanStop(bootId: string | null) {
    this.#kv.put(CLEAN_STOP_KEY, bootId);
  }
}

const CLEAN_STOP_KEY = "checkpoint_whole";
