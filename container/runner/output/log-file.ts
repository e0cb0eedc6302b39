// The raw log of one stream in a file: created at the first byte, limited in size, written asynchronously with bounded memory.
// A disk that fails or stalls ends the log, never the process; `path` and `capped` then tell what the log holds.

import { type FileHandle, mkdir, open, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode } from "../file/error-code.ts";
import { Notifier } from "../notifier.ts";

export interface LogLimits {
  maxBytes: number;
  /** The stream should pause when more bytes than this are waiting to be written. */
  pendingBytes: number;
  /** A single write that takes longer ends the log. */
  stallMs: number;
}

export class LogFile {
  readonly #path: string;
  readonly #limits: LogLimits;
  readonly #onDrain: () => void;
  readonly #idle = new Notifier();
  #handle: FileHandle | null = null;
  #waiting = Buffer.alloc(0);
  #waitingLength = 0;
  #accepted = 0;
  #busy = false;
  #failed = false;
  #isTruncated = false;
  #closing = false;
  /** How many bytes are in the file. */
  written = 0;

  /** `onDrain` is called when a paused stream may go on. */
  constructor(path: string, limits: LogLimits, onDrain: () => void) {
    this.#path = path;
    this.#limits = limits;
    this.#onDrain = onDrain;
  }

  /** The code of the system's error that ended the log; "ETIMEDOUT" for a write that took too long, null while it goes on. */
  error: string | null = null;

  get path(): string | null {
    return this.written > 0 ? this.#path : null;
  }

  /** Whether the stream had more than the log holds. */
  get capped(): boolean {
    return this.#isTruncated || (this.#failed && this.#accepted > this.written);
  }

  /** Copies what it takes. Returns false to ask the stream to pause until `onDrain` is called. */
  write(chunk: Uint8Array): boolean {
    const taken = this.#failed ? 0 : Math.min(chunk.length, this.#limits.maxBytes - this.#accepted);
    if (taken < chunk.length) this.#isTruncated = true;
    if (taken === 0) return true;
    this.#enqueue(chunk.subarray(0, taken));
    this.#accepted += taken;
    if (!this.#busy) void this.#writeAll();
    return this.#waitingLength < this.#limits.pendingBytes;
  }

  /** Resolves when everything taken so far is in the file, or the log has failed. */
  async flushed(): Promise<void> {
    while (this.#busy && !this.#failed) await this.#idle.wait(this.#limits.stallMs);
  }

  /** Call when no more will be written: the file is closed once everything is in it. */
  close(): void {
    this.#closing = true;
    if (!this.#busy) void this.#closeHandle();
  }

  /** The bytes of a range; null when the file does not have all of them. */
  async read(start: number, end: number): Promise<Buffer | null> {
    if (end > this.written) return null;
    try {
      await using file = await open(this.#path, "r");
      const bytes = Buffer.allocUnsafe(end - start);
      let filled = 0;
      while (filled < bytes.length) {
        const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled);
        if (bytesRead === 0) return null;
        filled += bytesRead;
      }
      return bytes;
    } catch {
      // A command has deleted or truncated the file.
      return null;
    }
  }

  async remove(): Promise<void> {
    this.#failed = true;
    this.close();
    if (this.#accepted > 0) await unlink(this.#path).catch(() => undefined);
  }

  #enqueue(chunk: Uint8Array): void {
    const needed = this.#waitingLength + chunk.length;
    if (needed > this.#waiting.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#waiting.length * 2));
      grown.set(this.#waiting.subarray(0, this.#waitingLength));
      this.#waiting = grown;
    }
    this.#waiting.set(chunk, this.#waitingLength);
    this.#waitingLength = needed;
  }

  /** Two buffers alternate: one fills while the other is written. */
  async #writeAll(): Promise<void> {
    this.#busy = true;
    const stall = setTimeout(() => this.#fail("ETIMEDOUT"), this.#limits.stallMs);
    let spare = Buffer.alloc(0);
    try {
      this.#handle ??= await openLog(this.#path);
      while (this.#waitingLength > 0 && !this.#failed) {
        const filled = this.#waiting;
        const length = this.#waitingLength;
        this.#waiting = spare;
        this.#waitingLength = 0;
        stall.refresh();
        await this.#writeOut(this.#handle, filled.subarray(0, length));
        spare = filled;
        this.#onDrain();
      }
    } catch (error) {
      this.#fail(errorCode(error) ?? "EIO");
    } finally {
      clearTimeout(stall);
      this.#waiting = Buffer.alloc(0);
      this.#waitingLength = 0;
      this.#busy = false;
      this.#idle.notify();
      this.#onDrain();
      if (this.#closing) void this.#closeHandle();
    }
  }

  async #writeOut(handle: FileHandle, bytes: Buffer): Promise<void> {
    let done = 0;
    while (done < bytes.length) {
      const { bytesWritten } = await handle.write(bytes, done, bytes.length - done);
      done += bytesWritten;
      this.written += bytesWritten;
    }
  }

  #fail(code: string): void {
    this.#failed = true;
    this.error ??= code;
    this.#idle.notify();
    this.#onDrain();
  }

  async #closeHandle(): Promise<void> {
    const handle = this.#handle;
    this.#handle = null;
    await handle?.close().catch(() => undefined);
  }
}

/** Creates the directory again if a command has removed it. */
async function openLog(path: string): Promise<FileHandle> {
  try {
    return await open(path, "w");
  } catch {
    await mkdir(dirname(path), { recursive: true });
    return await open(path, "w");
  }
}
