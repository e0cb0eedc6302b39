// A mark that everything a command starts inherits, that `env -i`, `setsid` and double forks do not remove, and that can be
// read without privileges: two settings of a process that fork copies and exec keeps. oom_score_adj also makes the kernel kill
// a command rather than the runner, which holds the output of all other commands, when memory runs out; coredump_filter adds
// kinds of memory to a core file. A program may change its own settings; census.ts then uses its other marks. See proc(5) and
// core(5).

import { closeSync, openSync, writeSync } from "node:fs";
import { numberIn } from "../../proc/proc-file.ts";

/**
 * The kernel's range is -1000 to 1000, which is killed first. The scores lie close together, so that between two commands their
 * size still decides.
 */
const SCORE_FIRST = 500;
const SCORES = 128;
const SCORE_MAX = 1000;
/** All nine kinds of memory. */
const FILTER_MAX = 0x1ff;

/** What `allocate` returns when no tag is free; no process has it. */
const NO_TAG = -1;

export class OriginTags {
  readonly #score = openSetting("oom_score_adj", 10);
  readonly #filter = openSetting("coredump_filter", 16);
  readonly #tags = possibleTags(this.#score, this.#filter);
  /** Starts at random, so that runners side by side, or one inside another, are unlikely to use the same values. */
  #last = Math.floor(Math.random() * this.#tags.length);

  /** Returns a tag that is not among `taken`. */
  allocate(taken: ReadonlySet<number>): number {
    for (let tries = 0; tries < this.#tags.length; tries++) {
      this.#last = (this.#last + 1) % this.#tags.length;
      const tag = this.#tags[this.#last];
      if (tag !== undefined && !taken.has(tag)) return tag;
    }
    return NO_TAG;
  }

  /** What `spawn` starts has the tag from its first instruction on. Must be called on the main thread. */
  spawnWith<Value>(tag: number, spawn: () => Value): Value {
    if (tag === NO_TAG) return spawn();
    try {
      write(this.#score, Math.floor(tag / (FILTER_MAX + 1)));
      write(this.#filter, tag & FILTER_MAX);
      return spawn();
    } finally {
      write(this.#score, this.#score.initial);
      write(this.#filter, this.#filter.initial);
    }
  }
}

/** The tag of a process, or the value it has instead; null when its settings cannot be read. */
export function tagOf(pid: number): number | null {
  const score = numberIn(`/proc/${pid}/oom_score_adj`, 10);
  const filter = numberIn(`/proc/${pid}/coredump_filter`, 16);
  return score === null || filter === null ? null : encodeTag(score, filter);
}

const encodeTag = (score: number, filter: number): number => score * (FILTER_MAX + 1) + filter;

/** One of the runner's own settings. */
interface Setting {
  /** The runner's own value. */
  initial: number;
  /** A file descriptor; null when the kernel lacks the setting or refuses to change it, and it stays as it is. */
  file: number | null;
}

/**
 * Any process may raise its score and lower it back to where it was. Filters only add kinds to the runner's own. The runner's
 * own values are not a tag.
 */
function possibleTags(score: Setting, filter: Setting): number[] {
  const first = Math.max(score.initial, SCORE_FIRST);
  const scores =
    score.file === null ? [score.initial] : range(first, Math.min(first + SCORES - 1, Math.max(first, SCORE_MAX)));
  const filters =
    filter.file === null ? [filter.initial] : range(0, FILTER_MAX).filter((kinds) => addsTo(kinds, filter.initial));
  const runners = encodeTag(score.initial, filter.initial);
  return scores.flatMap((each) => filters.map((kinds) => encodeTag(each, kinds))).filter((tag) => tag !== runners);
}

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

const addsTo = (kinds: number, initial: number): boolean => (kinds & initial) === initial && kinds !== initial;

function openSetting(name: string, radix: 10 | 16): Setting {
  const initial = numberIn(`/proc/self/${name}`, radix);
  if (initial === null) return { initial: 0, file: null };
  try {
    const file = openSync(`/proc/self/${name}`, "r+");
    try {
      write({ initial, file }, initial);
      return { initial, file };
    } catch {
      closeSync(file);
      return { initial, file: null };
    }
  } catch {
    return { initial, file: null };
  }
}

function write({ file }: Setting, value: number): void {
  if (file !== null) writeSync(file, String(value));
}
