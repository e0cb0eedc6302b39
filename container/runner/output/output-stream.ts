// Reads one output pipe of a command for as long as anybody may write to it, so that no writer ever blocks for good or
// dies of a closed pipe, and keeps what it said: head and tail in memory, all of it in the log.

import { Socket } from "node:net";
import type { Notifier } from "../notifier.ts";
import { Capture, type CaptureLimits } from "./capture.ts";
import { LogFile, type LogLimits } from "./log-file.ts";
import { wholeCharactersLength } from "./utf8.ts";

export interface OutputStreamOptions {
  /** The reading end; owned by the stream from here on. */
  fd: number;
  logPath: string;
  capture: CaptureLimits;
  log: LogLimits;
  /** Notified of new bytes and of the end. */
  notifier: Notifier;
}

/** All streams read into one buffer: a read and its callback are one step of the event loop. */
const shared = new Uint8Array(64 * 1024);

export class OutputStream {
  readonly capture: Capture;
  readonly log: LogFile;
  readonly #socket: Socket;
  readonly #notifier: Notifier;
  /** Nobody can write any more, and everything has been read. */
  ended = false;
  /** On the clock of `performance.now()`. */
  lastActivityAt = performance.now();

  constructor(options: OutputStreamOptions) {
    this.#notifier = options.notifier;
    this.capture = new Capture(options.capture);
    this.log = new LogFile(options.logPath, options.log, () => this.#socket.resume());
    this.#socket = new Socket({
      fd: options.fd,
      readable: true,
      writable: false,
      onread: { buffer: shared, callback: (length, buffer) => this.#onRead(buffer.subarray(0, length)) },
    });
    // An error on a pipe is its end; `close` follows.
    this.#socket.on("error", () => undefined);
    this.#socket.on("close", () => this.#onEnd());
    this.#socket.resume();
  }

  /** The raw bytes of a range; null where neither memory nor log still has them. */
  async read(start: number, end: number): Promise<Buffer | null> {
    const kept = this.capture.slice(start, end);
    if (kept !== null) return kept;
    await this.log.flushed();
    return this.log.read(start, end);
  }

  /** Bytes up to the last finished character; all of them once nothing more can follow. */
  get readableBytes(): number {
    const { bytes } = this.capture;
    if (this.ended) return bytes;
    const last = this.capture.slice(Math.max(0, bytes - 3), bytes) ?? Buffer.alloc(0);
    return bytes - (last.length - wholeCharactersLength(last));
  }

  /** Leaves the log alone to answer, where it can. */
  releaseMemory(): void {
    if (this.ended && this.log.written === this.capture.bytes) this.capture.release();
  }

  #onRead(chunk: Uint8Array): boolean {
    this.lastActivityAt = performance.now();
    this.capture.append(chunk);
    const goOn = this.log.write(chunk);
    if (!goOn) this.#socket.pause();
    this.#notifier.notify();
    return goOn;
  }

  #onEnd(): void {
    this.ended = true;
    this.log.close();
    this.#notifier.notify();
  }
}
