// What the runner remembers about checkpoints between operations, and where it keeps them in this machine.

import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { Notifier } from "../notifier.ts";
import type { RunnerOptions } from "../options.ts";

export class CheckpointState {
  readonly #stateDirectory: string;
  readonly #archiveDirectory: string;
  /** The layer that was restored since the runner started. */
  restored: string | null = null;
  /** The machine has been told to end. */
  isEnding = false;
  /** Notified when the machine is told to end, and when a checkpoint is requested or finished. */
  readonly changed = new Notifier();
  /** How many requests wait for the machine to be told to end. */
  watchers = 0;
  /** How many checkpoints have been requested since the runner started. */
  requested = 0;
  /** The value of `requested` when the last checkpoint was stored. */
  finished = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ stateDirectory, archiveDirectory }: Pick<RunnerOptions, "stateDirectory" | "archiveDirectory">) {
    this.#stateDirectory = stateDirectory;
    this.#archiveDirectory = archiveDirectory;
  }

  /** Runs one `work` at a time: a scan of a tree that is being replaced would be worthless. */
  exclusive<Value>(work: () => Promise<Value>): Promise<Value> {
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => undefined);
    return next;
  }

  archive(id: string): string {
    return join(this.#archiveDirectory, "archives", id);
  }

  scan(id: string): string {
    return join(this.#archiveDirectory, "scans", id);
  }

  async prepare(): Promise<void> {
    for (const name of ["archives", "scans"])
      await mkdir(join(this.#archiveDirectory, name), { recursive: true, mode: 0o700 });
  }

  /** Makes the directory of a session, and removes those of other sessions. */
  async session(kind: "restore" | "diff", id: string): Promise<string> {
    const sessions = join(this.#stateDirectory, kind);
    await mkdir(join(sessions, id), { recursive: true, mode: 0o700 });
    for (const name of await readdir(sessions)) {
      if (name !== id) await rm(join(sessions, name), { recursive: true, force: true });
    }
    return join(sessions, id);
  }

  /** An archive is needed only until the next one is made. */
  async removeArchives(): Promise<void> {
    await rm(join(this.#archiveDirectory, "archives"), { recursive: true, force: true });
    await this.prepare();
  }

  async removeScans(keep: readonly string[]): Promise<void> {
    for (const name of await readdir(join(this.#archiveDirectory, "scans"))) {
      if (!keep.includes(name)) await rm(this.scan(name), { force: true });
    }
  }
}
