// The single values that a sandbox stores about its checkpoints besides the index, each under one key.

import type { KeyValues } from "../storage/key-values.ts";

export class CheckpointState {
  readonly #kv: KeyValues;

  constructor(kv: KeyValues) {
    this.#kv = kv;
  }

  /** The first layer that the current machine had, which a later layer can be relative to; null before there is one. */
  get anchor(): string | null {
    return this.#kv.get<string>(ANCHOR_KEY) ?? null;
  }

  set anchor(layer: string) {
    this.#kv.put(ANCHOR_KEY, layer);
  }

  /** The boot id of the last machine that ended with all of its files stored; null if there was none. */
  get cleanStop(): string | null {
    return this.#kv.get<string | null>(CLEAN_STOP_KEY) ?? null;
  }

  set cleanStop(bootId: string | null) {
    this.#kv.put(CLEAN_STOP_KEY, bootId);
  }
}

const ANCHOR_KEY = "checkpoint_anchor";
const CLEAN_STOP_KEY = "checkpoint_whole";
