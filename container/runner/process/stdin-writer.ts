// The writing end of a command's stdin. Nothing here waits without a bound or buffers without a limit.

import { Socket } from "node:net";

export type Written = "written" | "closed" | "stalled";

export class Input {
  readonly #socket: Socket;
  #closed = false;

  /** Owns `fd`. */
  constructor(fd: number) {
    this.#socket = new Socket({ fd, readable: false, writable: true });
    // A command that does not read what it was given is no fault.
    this.#socket.on("error", () => undefined);
    this.#socket.on("close", () => {
      this.#closed = true;
    });
  }

  get open(): boolean {
    return !this.#closed && !this.#socket.writableEnded;
  }

  /** Bytes taken that the command has not read yet. */
  get pendingBytes(): number {
    return this.#socket.writableLength;
  }

  /** Resolves when the pipe has taken `data`; "stalled" when it has not within `ms`: it is then still on its way. */
  write(data: string, ms: number): Promise<Written> {
    return new Promise((resolve) => {
      const stalled = setTimeout(() => resolve("stalled"), ms);
      this.#socket.write(data, "utf8", (error) => {
        clearTimeout(stalled);
        resolve(error ? "closed" : "written");
      });
    });
  }

  /** Closes once all that was written has been taken. */
  end(): void {
    this.#socket.end();
  }

  /** The command is gone. */
  destroy(): void {
    this.#socket.destroy();
  }
}
