// A machine that is up. The engine reaches its ports and its runner through the relay's socket.

import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import type { CapturedSockets, OutgoingConnection } from "../egress/captured-sockets.ts";
import type { ProcessTree } from "./process-tree.ts";

export class EngineMachine {
  /** The exit code, 128 + n after signal n. Resolves when no process of the machine is left; never rejects. */
  readonly ended: Promise<number>;
  /** Resolves when its files and control groups are gone too. */
  readonly removed: Promise<void>;
  readonly #processTree: ProcessTree;
  readonly #captured: CapturedSockets;
  /** A descriptor of the socket's file itself, so that a link which the machine later puts in its place is never followed. */
  readonly #relay: number;
  #isUp = true;

  /** `directory` is the machine's own. */
  constructor(parts: {
    processTree: ProcessTree;
    captured: CapturedSockets;
    removed: Promise<void>;
    directory: string;
  }) {
    this.ended = parts.processTree.ended;
    this.removed = parts.removed;
    this.#processTree = parts.processTree;
    this.#captured = parts.captured;
    this.#relay = openSocketFile(join(parts.directory, "relay/socket"));
    void this.ended.then(() => {
      this.#isUp = false;
      closeSync(this.#relay);
    });
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** A connection to a port of the machine. Rejects when nothing listens there or the machine has ended. */
  connect(port: number): Promise<Socket> {
    return this.#request(String(port));
  }

  /** Sets what receives the connections that the machine makes to the outside. Until then they are refused. */
  onOutgoing(receive: (connection: OutgoingConnection) => void): void {
    this.#captured.receiver = receive;
  }

  /** Sends a signal to the runner, which may handle it in its own way. */
  async signal(name: NodeJS.Signals): Promise<void> {
    (await this.#request(`signal ${name}`)).destroy();
  }

  /** Ends every process at once. */
  kill(): void {
    this.#processTree.kill();
  }

  /** Sends one line to the relay. Resolves with the connection when the relay accepts it. */
  #request(line: string): Promise<Socket> {
    if (!this.#isUp) return Promise.reject(new Error("The machine has ended"));
    return new Promise((resolve, reject) => {
      const socket = connect({ path: `/proc/self/fd/${this.#relay}`, allowHalfOpen: true });
      const refused = (): void => reject(new Error(`The machine does not answer '${line}'`));
      socket.once("error", refused).once("end", refused).write(`${line}\n`);
      socket.once("data", (data) => {
        socket.off("error", refused).off("end", refused).pause();
        if (data[0] !== ACCEPTED) {
          socket.destroy();
          return refused();
        }
        if (data.length > 1) socket.unshift(data.subarray(1));
        resolve(socket);
      });
    });
  }
}

/** Throws when the machine has put something else in the socket's place. */
function openSocketFile(path: string): number {
  const descriptor = openSync(path, O_PATH_NOFOLLOW);
  if (fstatSync(descriptor).isSocket()) return descriptor;
  closeSync(descriptor);
  throw new Error("The relay's socket was replaced");
}

/** Linux's O_PATH has no name in Node. It opens the file that is there, not what it leads to. */
const O_PATH_NOFOLLOW = 0o10000000 | constants.O_NOFOLLOW;
const ACCEPTED = "+".charCodeAt(0);
