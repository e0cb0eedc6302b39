// The file of egress records (src/egress/audit-log.ts), one line of JSON each, taken from what the Worker logs. Only its owner
// can read it. A full file is renamed to `.old`, which replaces the one before.

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

  /** Appends the line when it is a record, and ignores it otherwise. */
  take({ timestamp, level, message }: LoggedLine): void {
    if (level !== "log" || !message.startsWith('{"event":"egress",')) return;
    try {
      const { event: _, ...record } = EgressRecord.parse(JSON.parse(message));
      this.#append(`${JSON.stringify({ at: new Date(timestamp).toISOString(), ...record })}\n`);
    } catch (error) {
      // A full disk or a record that cannot be parsed must not end the server.
      console.error(`An egress record could not be stored: ${error}`);
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
