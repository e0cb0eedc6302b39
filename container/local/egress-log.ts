// The file of egress records (src/egress/audit-log.ts), one line of JSON each, taken from what the Worker logs. Only its owner
// can read it. A full file keeps the newest records of each principal, and says how many of each it has dropped.

import { closeSync, fstatSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { EgressRecord } from "../../src/egress/audit-log.ts";
import { dropSurplusRecords } from "./drop-surplus-records.ts";

const FILE_MAX_BYTES = 32 * 1024 * 1024;

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
    if (this.#bytes >= FILE_MAX_BYTES) this.#shorten();
  }

  /** Replaces the file as a whole, so that it is complete whenever the server ends. */
  #shorten(): void {
    const lines = readFileSync(this.#path, "utf8").trimEnd().split("\n");
    const next = `${this.#path}.new`;
    writeFileSync(next, `${dropSurplusRecords(lines, FILE_MAX_BYTES / 2).join("\n")}\n`, { mode: 0o600 });
    renameSync(next, this.#path);
    closeSync(this.#file);
    this.#file = openSync(this.#path, "a", 0o600);
    this.#bytes = fstatSync(this.#file).size;
  }
}
