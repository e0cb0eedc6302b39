// The log of a run: its first and last entries. It is kept in the Worker so that it survives a run that is ended early.

import { limits } from "../contract/limits.ts";
import { formatOmitted, OMITTED_CHARS } from "../format/truncate.ts";
import type { RunLogs } from "./isolate.ts";
import { formatLog } from "./value/format-log.ts";

const headChars = Math.floor(limits.answerLogChars * 0.6);
const tailChars = limits.answerLogChars - headChars;

export class RunLog {
  readonly #head: string[] = [];
  readonly #tail: string[] = [];
  readonly #onLine: (line: string) => void;
  #headRoom = headChars;
  #tailSize = 0;
  #omitted = 0;
  #receivedChars = 0;
  #receivedEntries = 0;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** Takes a batch of entries as JSON text from the isolate; false when further entries would be dropped. */
  add(batch: unknown): boolean {
    if (typeof batch !== "string" || !this.#hasRoom) return false;
    this.#receivedChars += batch.length;
    for (const entry of parseList(batch)) this.#addEntry(entry);
    return this.#hasRoom;
  }

  /** Takes all entries of the run, in the same form, and adds those after the entries already received. */
  addMissing(entries: unknown): boolean {
    if (typeof entries !== "string" || entries.length > limits.runLogMaxChars * 2) return false;
    for (const entry of parseList(entries).slice(this.#receivedEntries)) this.#addEntry(entry);
    return this.#hasRoom;
  }

  /** Counts entries that never left the isolate. */
  addOmitted(count: number): void {
    this.#omitted += count;
  }

  logs(): RunLogs {
    const gap = this.#omitted === 0 ? [] : [formatOmitted(this.#omitted, "log entry", "log entries")];
    return { text: [...this.#head, ...gap, ...this.#tail].join("\n"), omitted: this.#omitted };
  }

  get #hasRoom(): boolean {
    return this.#receivedChars <= limits.runLogMaxChars * 2;
  }

  #addEntry(entry: unknown): void {
    this.#receivedEntries += 1;
    const text = formatLog(entry);
    if (text !== null) this.#addText(text);
  }

  #addText(entry: string): void {
    const startChars = tailChars - OMITTED_CHARS;
    const text =
      entry.length > tailChars
        ? `${entry.slice(0, startChars)} ${formatOmitted(entry.length - startChars, "character")}`
        : entry;
    this.#onLine(text);
    if (text.length + 1 <= this.#headRoom && this.#tail.length === 0) {
      this.#head.push(text);
      this.#headRoom -= text.length + 1;
      return;
    }
    this.#tail.push(text);
    this.#tailSize += text.length + 1;
    while (this.#tailSize > tailChars) {
      const [dropped] = this.#tail.splice(0, 1);
      if (dropped === undefined) return;
      this.#tailSize -= dropped.length + 1;
      this.#omitted += 1;
    }
  }
}

function parseList(text: string): unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
