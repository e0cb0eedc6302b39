// A mark that everything a command starts inherits, that no `env -i`, `setsid` or double fork sheds, and that can be read
// without any privilege: two settings of a process which fork copies and exec keeps. oom_score_adj also has the kernel end
// a command, when memory runs out, and not the runner, which holds every other command's output; coredump_filter adds kinds
// of memory to a core file. A program may change its own: then census.ts goes by its other marks. See proc(5) and core(5).

import { closeSync, openSync, writeSync } from "node:fs";
import { numberIn } from "../../proc/proc-file.ts";

/** Of -1000 to 1000, the most likely to be ended. So few that it is still a command's size that decides between two. */
const SCORE_FIRST = 500;
const SCORES = 128;
const SCORE_MAX = 1000;
/** All nine kinds of memory. */
const FILTER_MAX = 0x1ff;

/** What `next` answers when there is no tag to be had; no process has it. */
const NO_TAG = -1;

export class OriginTags {
  readonly #score = openSetting("oom_score_adj", 10);
  readonly #filter = openSetting("coredump_filter", 16);
  readonly #tags = possibleTags(this.#score, this.#filter);
  /** Runners side by side, or one inside another, should not use the same values. */
  #last = Math.floor(Math.random() * this.#tags.length);

  /** One that is not among `taken`. */
  next(taken: ReadonlySet<number>): number {
    for (let tries = 0; tries < this.#tags.length; tries++) {
      this.#last = (this.#last + 1) % this.#tags.length;
      const tag = this.#tags[this.#last];
      if (tag !== undefined && !taken.has(tag)) return tag;
    }
    return NO_TAG;
  }

  /** What `spawn` starts has the tag from its first instruction on; must be called on the main thread. */
  apply<Value>(tag: number, spawn: () => Value): Value {
    if (tag === NO_TAG) return spawn();
    try {
      write(this.#score, Math.floor(tag / (FILTER_MAX + 1)));
      write(this.#filter, tag & FILTER_MAX);
      return spawn();
    } finally {
      write(this.#score, this.#score.own);
      write(this.#filter, this.#filter.own);
    }
  }
}

/** The tag of a process, or what it has in the place of one; null where it cannot be asked. */
export function tagOf(pid: number): number | null {
  const score = numberIn(`/proc/${pid}/oom_score_adj`, 10);
  const filter = numberIn(`/proc/${pid}/coredump_filter`, 16);
  return score === null || filter === null ? null : tagMadeOf(score, filter);
}

const tagMadeOf = (score: number, filter: number): number => score * (FILTER_MAX + 1) + filter;

/** One of the runner's own settings. */
interface Setting {
  /** What the runner itself has. */
  own: number;
  /** Null where the kernel lacks it or does not let us: it then stays as it is. */
  file: number | null;
}

/** Anybody may raise a score, and take it back to what it was. A filter only ever gains. What the runner has is no tag. */
function possibleTags(score: Setting, filter: Setting): number[] {
  const first = Math.max(score.own, SCORE_FIRST);
  const scores =
    score.file === null ? [score.own] : range(first, Math.min(first + SCORES - 1, Math.max(first, SCORE_MAX)));
  const filters =
    filter.file === null ? [filter.own] : range(0, FILTER_MAX).filter((kinds) => gains(kinds, filter.own));
  const own = tagMadeOf(score.own, filter.own);
  return scores.flatMap((each) => filters.map((kinds) => tagMadeOf(each, kinds))).filter((tag) => tag !== own);
}

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

const gains = (kinds: number, own: number): boolean => (kinds & own) === own && kinds !== own;

function openSetting(name: string, radix: 10 | 16): Setting {
  const own = numberIn(`/proc/self/${name}`, radix);
  if (own === null) return { own: 0, file: null };
  try {
    const file = openSync(`/proc/self/${name}`, "r+");
    try {
      write({ own, file }, own);
      return { own, file };
    } catch {
      closeSync(file);
      return { own, file: null };
    }
  } catch {
    return { own, file: null };
  }
}

function write({ file }: Setting, value: number): void {
  if (file !== null) writeSync(file, String(value));
}
