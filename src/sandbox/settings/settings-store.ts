// The settings of one sandbox in the storage of its Durable Object.

import type { KeyValues } from "../storage/key-values.ts";
import { SandboxSettings } from "./sandbox-settings.ts";

const key = "settings";

export class SettingsStore {
  readonly #kv: KeyValues;
  #current: SandboxSettings;

  constructor(kv: KeyValues) {
    this.#kv = kv;
    this.#current = SandboxSettings.parse(kv.get(key) ?? {});
  }

  get current(): SandboxSettings {
    return this.#current;
  }

  save(settings: SandboxSettings): void {
    this.#kv.put(key, settings);
    this.#current = settings;
  }

  clear(): void {
    this.#kv.delete(key);
    this.#current = SandboxSettings.parse({});
  }
}
