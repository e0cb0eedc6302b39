// A mark that everything a command starts inherits and no `env -i`, `setsid` or double fork sheds: the timer slack of a
// process (proc(5), timerslack_ns), which fork copies and exec keeps. A process starts with 50 µs; a command gets a value
// of its own, up to 1 ms above it, which changes nothing it could notice.

import { closeSync, openSync, writeSync } from "node:fs";
import { numberIn } from "./proc-file.ts";

const DEFAULT_SLACK_NS = 50_000;
const TAGS = 1_000_000;

export class OriginTags {
  /** Runners side by side, or one inside another, should not use the same values. */
  #next = Math.floor(Math.random() * TAGS);
  readonly #file: number | null;

  constructor() {
    this.#file = openOwnSlack();
  }

  /** A tag not used by any of the last million commands. */
  next(): number {
    this.#next = (this.#next + 1) % TAGS;
    return DEFAULT_SLACK_NS + 1 + this.#next;
  }

  /** What `spawn` starts has the tag; must be called on the main thread. */
  apply<Value>(tag: number, spawn: () => Value): Value {
    if (this.#file === null) return spawn();
    writeSync(this.#file, String(tag));
    try {
      return spawn();
    } finally {
      writeSync(this.#file, String(DEFAULT_SLACK_NS));
    }
  }
}

/** The tag of a process; null where it has none or may not be asked. */
export function tagOf(pid: number): number | null {
  const slack = numberIn(`/proc/${pid}/timerslack_ns`);
  return slack === null || slack <= DEFAULT_SLACK_NS || slack > DEFAULT_SLACK_NS + TAGS ? null : slack;
}

/** Null on a kernel without it: the other marks of census.ts remain. */
function openOwnSlack(): number | null {
  try {
    const file = openSync("/proc/self/timerslack_ns", "r+");
    try {
      // Without a position: the kernel takes no pwrite(2) here.
      writeSync(file, String(DEFAULT_SLACK_NS));
      return file;
    } catch {
      closeSync(file);
      return null;
    }
  } catch {
    return null;
  }
}
