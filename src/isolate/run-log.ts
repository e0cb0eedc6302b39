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
  #received = 0;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** Takes a batch of entries as JSON text from the isolate; false when further entries would be dropped. */
  add(batch: unknown): boolean {
    if (typeof batch !== "string" || this.#received > limits.runLogMaxChars * 2) return false;
    this.#received += batch.length;
    for (const entry of parseList(batch)) {
      const text = formatLog(entry);
      if (text !== null) this.#addText(text);
    }
    return this.#received <= limits.runLogMaxChars * 2;
  }

  /** Counts entries that never left the isolate. */
  addOmitted(count: number): void {
    this.#omitted += count;
  }

  logs(): RunLogs {
    const gap = this.#omitted === 0 ? [] : [formatOmitted(this.#omitted, "log entry", "log entries")];
    return { text: [...this.#head, ...gap, ...this.#tail].join("\n"), omitted: this.#omitted };
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
