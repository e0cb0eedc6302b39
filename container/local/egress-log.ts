// The file in which the records of what went out are kept, a line of JSON each (src/egress/audit-log.ts), picked out of what
// the Worker logs. It is this user's to read. A full one is kept beside the new one, and then forgotten.

import { closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";
import { EgressRecord } from "../../src/egress/audit-log.ts";

const FILE_MAX_BYTES = 16 * 1024 * 1024;

export interface LoggedLine {
  /** Epoch milliseconds. */
  timestamp: number;
  level: string;
  message: string;
}

export class EgressLog {
  readonly #path: string;
  #file: number;
  #bytes: number;

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, "a", 0o600);
    this.#bytes = fstatSync(this.#file).size;
  }

  /** Anything but a record is left alone. */
  take({ timestamp, level, message }: LoggedLine): void {
    if (level !== "log" || !message.startsWith('{"event":"egress",')) return;
    try {
      const { event: _, ...record } = EgressRecord.parse(JSON.parse(message));
      this.#append(`${JSON.stringify({ at: new Date(timestamp).toISOString(), ...record })}\n`);
    } catch (error) {
      // A full disk, or a record that cannot be read, is no reason to end the machines.
      console.error(`A record of what went out was not kept: ${error}`);
    }
  }

  #append(line: string): void {
    this.#bytes += writeSync(this.#file, line);
    if (this.#bytes < FILE_MAX_BYTES) return;
    renameSync(this.#path, `${this.#path}.old`);
    closeSync(this.#file);
    this.#file = openSync(this.#path, "a", 0o600);
    this.#bytes = 0;
  }
}
