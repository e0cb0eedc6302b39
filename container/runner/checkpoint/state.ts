// What the runner keeps of checkpoints between two operations, all of it below one directory of this machine.

import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { Notifier } from "../process/notifier.ts";

export class CheckpointState {
  readonly directory: string;
  /** The layer put in place since the runner started. */
  restored: string | null = null;
  /** The machine has been told to end. */
  ending = false;
  /** Rings when the machine is told to end, and when a last checkpoint is asked for or done. */
  readonly notifier = new Notifier();
  /** Requests that wait to hear of the end. */
  watchers = 0;
  asked = 0;
  done = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(directory: string) {
    this.directory = directory;
  }

  /** One after the other: a scan of a tree that is just being replaced is worth nothing. */
  exclusive<Value>(work: () => Promise<Value>): Promise<Value> {
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => undefined);
    return next;
  }

  archive(id: string): string {
    return join(this.directory, "archives", id);
  }

  scan(id: string): string {
    return join(this.directory, "scans", id);
  }

  async prepare(): Promise<void> {
    for (const name of ["archives", "scans"]) await mkdir(join(this.directory, name), { recursive: true, mode: 0o700 });
  }

  /** The directory of a session; those of other sessions are removed. */
  async session(kind: "restore" | "diff", id: string): Promise<string> {
    const all = join(this.directory, kind);
    await mkdir(join(all, id), { recursive: true, mode: 0o700 });
    for (const name of await readdir(all)) {
      if (name !== id) await rm(join(all, name), { recursive: true, force: true });
    }
    return join(all, id);
  }

  /** Archives are of use until the next one is made. */
  async forgetArchives(): Promise<void> {
    await rm(join(this.directory, "archives"), { recursive: true, force: true });
    await this.prepare();
  }

  async forgetScans(keep: readonly string[]): Promise<void> {
    for (const name of await readdir(join(this.directory, "scans"))) {
      if (!keep.includes(name)) await rm(this.scan(name), { force: true });
    }
  }
}
