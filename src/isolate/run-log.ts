// What a run has logged, kept in the Worker so that it is there when the run is ended: the first lines and the last.

import { limits } from "../contract/limits.ts";
import { formatOmitted, OMITTED_CHARS } from "../format/truncate.ts";
import type { RunLogs } from "./isolate.ts";
import { logText } from "./value/format-log.ts";

const headChars = Math.floor(limits.answerLogChars * 0.6);
const tailChars = limits.answerLogChars - headChars;

export class RunLog {
  readonly #head: string[] = [];
  readonly #tail: string[] = [];
  readonly #onLine: (line: string) => void;
  #headRoom = headChars;
  #tailSize = 0;
  #leftOut = 0;
  #received = 0;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** Takes a batch of entries as JSON text from inside; false when no more are wanted. */
  add(batch: unknown): boolean {
    if (typeof batch !== "string" || this.#received > limits.runLogMaxChars * 2) return false;
    this.#received += batch.length;
    for (const entry of parseList(batch)) {
      const text = logText(entry);
      if (text !== null) this.#addText(text);
    }
    return this.#received <= limits.runLogMaxChars * 2;
  }

  /** Entries that were counted inside only. */
  addLeftOut(count: number): void {
    this.#leftOut += count;
  }

  logs(): RunLogs {
    const gap = this.#leftOut === 0 ? [] : [formatOmitted(this.#leftOut, "log entry", "log entries")];
    return { text: [...this.#head, ...gap, ...this.#tail].join("\n"), leftOut: this.#leftOut };
  }

  #addText(whole: string): void {
    const startChars = tailChars - OMITTED_CHARS;
    const text =
      whole.length > tailChars
        ? `${whole.slice(0, startChars)} ${formatOmitted(whole.length - startChars, "character")}`
        : whole;
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
      this.#leftOut += 1;
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
