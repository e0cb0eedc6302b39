// The writing end of a command's stdin. Every wait and every buffer is bounded.

import { Socket } from "node:net";

export type WriteOutcome = "written" | "closed" | "stalled";

export class StdinWriter {
  readonly #socket: Socket;
  #closed = false;

  /** Owns `fd`. */
  constructor(fd: number) {
    this.#socket = new Socket({ fd, readable: false, writable: true });
    // A command that does not read its input is not a fault.
    this.#socket.on("error", () => undefined);
    this.#socket.on("close", () => {
      this.#closed = true;
    });
  }

  get isOpen(): boolean {
    return !this.#closed && !this.#socket.writableEnded;
  }

  /** Bytes accepted here that the command has not read yet. */
  get pendingBytes(): number {
    return this.#socket.writableLength;
  }

  /** Resolves when the pipe has taken `data`, or with "stalled" after `ms`: the data is then still queued. */
  write(data: string, ms: number): Promise<WriteOutcome> {
    return new Promise((resolve) => {
      const stalled = setTimeout(() => resolve("stalled"), ms);
      this.#socket.write(data, "utf8", (error) => {
        clearTimeout(stalled);
        resolve(error ? "closed" : "written");
      });
    });
  }

  /** Closes the pipe once everything written has been taken. */
  end(): void {
    this.#socket.end();
  }

  /** Closes the pipe at once, for a command that has ended. */
  destroy(): void {
    this.#socket.destroy();
  }
}
