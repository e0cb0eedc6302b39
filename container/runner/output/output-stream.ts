// Reads one output pipe of a command for as long as any process may write to it, so that no writer blocks for ever or is ended by
// a closed pipe. The output is kept: head and tail in memory, all of it in the log.

import { Socket } from "node:net";
import type { Notifier } from "../notifier.ts";
import { Capture, type CaptureLimits } from "./capture.ts";
import { LogFile, type LogLimits } from "./log-file.ts";
import { wholeCharactersLength } from "./utf8.ts";

export interface OutputStreamOptions {
  /** The reading end of the pipe. The stream owns it. */
  fd: number;
  logPath: string;
  capture: CaptureLimits;
  log: LogLimits;
  /** Notified of new bytes and of the end. */
  notifier: Notifier;
}

/** All streams read into one buffer, because a read and its callback happen in one step of the event loop. */
const shared = new Uint8Array(64 * 1024);

export class OutputStream {
  readonly capture: Capture;
  readonly log: LogFile;
  readonly #socket: Socket;
  readonly #notifier: Notifier;
  /** No process can write any more, and everything has been read. */
  ended = false;
  /** When the last bytes arrived, by the clock of `performance.now()`. */
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
    // An error on a pipe means its end; `close` follows.
    this.#socket.on("error", () => undefined);
    this.#socket.on("close", () => this.#onEnd());
    this.#socket.resume();
  }

  /** The raw bytes of a range; null when neither memory nor the log has all of them. */
  async read(start: number, end: number): Promise<Buffer | null> {
    const kept = this.capture.slice(start, end);
    if (kept !== null) return kept;
    await this.log.flushed();
    return this.log.read(start, end);
  }

  /** The number of bytes up to the last complete character, or of all bytes once no more can follow. */
  get readableBytes(): number {
    const { bytes } = this.capture;
    if (this.ended) return bytes;
    const last = this.capture.slice(Math.max(0, bytes - 3), bytes) ?? Buffer.alloc(0);
    return bytes - (last.length - wholeCharactersLength(last));
  }

  /** Frees the memory if the log has all of the stream. */
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
