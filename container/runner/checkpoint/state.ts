// What the runner remembers about checkpoints between operations, and where it keeps them in this machine.

import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "../../../src/contract/limits.ts";
import { InodeReserve } from "../disk/inode-reserve.ts";
import { Reserve } from "../disk/reserve.ts";
import { removeTree } from "../file/remove-tree.ts";
import { Notifier } from "../notifier.ts";
import type { RunnerOptions } from "../options.ts";

export class CheckpointState {
  readonly #stateDirectory: string;
  #archiveDirectory: string;
  /** On the disk of the workspace, which commands can fill: a restore needs a little more space than what it restores. */
  readonly #reserve: Reserve;
  readonly inodes: InodeReserve;
  /** The layer that was restored since the runner started. */
  restored: string | null = null;
  /** The machine has been told to end. */
  isEnding = false;
  /** Notified when the machine is told to end, and when anything happens to a checkpoint. */
  readonly changed = new Notifier();
  /** The server watches for the end of the machine, and stores its files then. */
  isWatched = false;
  /** How many checkpoints have been requested since the runner started. */
  requested = 0;
  /** The value of `requested` when the last checkpoint was stored. */
  finished = 0;
  /** The sizes of layers whose manifests are here, as far as they have been measured. */
  readonly layerBytes = new Map<string, number>();
  #last: Promise<unknown> = Promise.resolve();
  /** How many archives are being made or sent. */
  #active = 0;
  #activeAt = 0;

  constructor({ stateDirectory, archiveDirectory }: Pick<RunnerOptions, "stateDirectory" | "archiveDirectory">) {
    this.#stateDirectory = stateDirectory;
    this.#archiveDirectory = archiveDirectory;
    this.inodes = new InodeReserve(stateDirectory);
    this.#reserve = new Reserve(stateDirectory, limits.checkpointReserveBytes);
  }

  /** Runs one `work` at a time: a scan of a tree that is being replaced would be worthless. */
  exclusive<Value>(work: () => Promise<Value>): Promise<Value> {
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => undefined);
    return next;
  }

  /** Marks the server as busy with a checkpoint while `work` lasts. */
  async whileActive<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#active += 1;
    try {
      return await work();
    } finally {
      this.#active -= 1;
      this.#activeAt = performance.now();
      this.changed.notify();
    }
  }

  /** How long the server has not worked on a checkpoint. */
  get idleMs(): number {
    return this.#active > 0 ? 0 : performance.now() - this.#activeAt;
  }

  archive(id: string): string {
    return join(this.#archiveDirectory, "archives", id);
  }

  scan(id: string): string {
    return join(this.#archiveDirectory, "scans", id);
  }

  /** The manifest of a layer of the current chain, from which a later layer that replaces it can be made. */
  manifest(id: string): string {
    return join(this.#archiveDirectory, "manifests", id);
  }

  /** Finds room for archives once their disk is full. Resolves to false when there is no more. */
  async makeRoom(): Promise<boolean> {
    const wasReleased = await this.#reserve.release();
    if (this.#archiveDirectory === this.#stateDirectory) return wasReleased;
    // Commands have filled the runner's own disk. What was there is made anew on the other one.
    await Promise.all(
      DIRECTORIES.map((name) => rm(join(this.#archiveDirectory, name), { recursive: true, force: true })),
    );
    this.#archiveDirectory = this.#stateDirectory;
    return true;
  }

  async keepReserve(): Promise<void> {
    await this.#reserve.keep();
  }

  /** Keeps commands from filling a disk of the machine's own to the last byte, even before the first checkpoint. */
  async keepFirstReserve(): Promise<void> {
    if (this.#archiveDirectory !== this.#stateDirectory) await this.#reserve.keep();
  }

  async prepare(): Promise<void> {
    for (const name of DIRECTORIES) {
      await mkdir(join(this.#archiveDirectory, name), { recursive: true, mode: 0o700 });
    }
  }

  /** Makes the directory of a session, and removes those of other sessions. */
  async session(kind: "restore" | "diff", id: string): Promise<string> {
    if (kind === "restore") await this.#reserve.release();
    const sessions = join(this.#stateDirectory, kind);
    await mkdir(join(sessions, id), { recursive: true, mode: 0o700 });
    for (const name of await readdir(sessions)) {
      if (name !== id) await removeTree(join(sessions, name));
    }
    return join(sessions, id);
  }

  /** An archive is needed only until the next one is made. */
  async removeArchives(): Promise<void> {
    await rm(join(this.#archiveDirectory, "archives"), { recursive: true, force: true });
    await this.prepare();
  }

  async removeScans(keep: readonly string[]): Promise<void> {
    await removeOthers(join(this.#archiveDirectory, "scans"), keep);
  }

  async removeManifests(keep: readonly string[]): Promise<void> {
    await removeOthers(join(this.#archiveDirectory, "manifests"), keep);
    for (const id of [...this.layerBytes.keys()]) if (!keep.includes(id)) this.layerBytes.delete(id);
  }
}

const DIRECTORIES = ["archives", "scans", "manifests"];

async function removeOthers(directory: string, keep: readonly string[]): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!keep.includes(name)) await rm(join(directory, name), { force: true });
  }
}
