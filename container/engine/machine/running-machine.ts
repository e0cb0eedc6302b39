// A machine that is up, as the rest of the engine talks to it: through the relay's socket.

import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { connect, type Socket } from "node:net";
import type { CapturedSockets, Outgoing } from "../egress/captured-sockets.ts";

export interface Machine {
  readonly isUp: boolean;
  /** The exit code, 128 + n after signal n. Resolves when nothing of the machine runs; never rejects. */
  readonly ended: Promise<number>;
  /** Resolves when its files and control groups are gone too. */
  readonly removed: Promise<void>;
  /** A connection to a port of the machine. Rejects when nobody listens there or the machine has ended. */
  connect(port: number): Promise<Socket>;
  /** Who gets the connections that the machine makes to the outside; until it is said they are refused. */
  onOutgoing(receive: (outgoing: Outgoing) => void): void;
  /** Gives the runner a signal, which may do as it likes with it. */
  signal(name: NodeJS.Signals): Promise<void>;
  /** Ends every process at once. */
  kill(): void;
}

interface RunningParts {
  readonly ended: Promise<number>;
  readonly removed: Promise<void>;
  readonly kill: () => void;
  readonly captured: CapturedSockets;
  readonly socketPath: string;
}

export class RunningMachine implements Machine {
  readonly ended: Promise<number>;
  readonly removed: Promise<void>;
  readonly kill: () => void;
  /** Of the socket's file itself: what the machine later puts in its place, a link to a socket of the host, is never followed. */
  readonly #socket: number;
  readonly #captured: CapturedSockets;
  #isUp = true;

  constructor(parts: RunningParts) {
    this.ended = parts.ended;
    this.removed = parts.removed;
    this.kill = parts.kill;
    this.#captured = parts.captured;
    this.#socket = openSync(parts.socketPath, O_PATH_NOFOLLOW);
    if (!fstatSync(this.#socket).isSocket()) throw new Error("the relay's socket was replaced");
    void this.ended.then(() => {
      this.#isUp = false;
      closeSync(this.#socket);
    });
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  connect(port: number): Promise<Socket> {
    return this.#ask(String(port));
  }

  onOutgoing(receive: (outgoing: Outgoing) => void): void {
    this.#captured.receiver = receive;
  }

  async signal(name: NodeJS.Signals): Promise<void> {
    (await this.#ask(`signal ${name}`)).destroy();
  }

  #ask(line: string): Promise<Socket> {
    if (!this.#isUp) return Promise.reject(new Error("the machine has ended"));
    return new Promise((resolve, reject) => {
      const socket = connect({ path: `/proc/self/fd/${this.#socket}`, allowHalfOpen: true });
      const refused = (): void => reject(new Error(`nobody answers '${line}'`));
      socket.once("error", refused).once("end", refused).write(`${line}\n`);
      socket.once("data", (data) => {
        socket.off("error", refused).off("end", refused).pause();
        if (data[0] !== PLUS) {
          socket.destroy();
          return refused();
        }
        if (data.length > 1) socket.unshift(data.subarray(1));
        resolve(socket);
      });
    });
  }
}

/** Linux's O_PATH has no name in Node. It opens the file that is there, not what it leads to. */
const O_PATH_NOFOLLOW = 0o10000000 | constants.O_NOFOLLOW;
const PLUS = "+".charCodeAt(0);
