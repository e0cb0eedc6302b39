// Explains why a search found nothing: what was skipped, and what other options would have matched. It gets little time; a count
// that is not ready by then is unknown.

import { limits } from "../../../src/contract/limits.ts";
import type { SearchEmpty, SearchRequest } from "../../../src/contract/search.ts";
import type { PathFilter } from "./path-filter.ts";
import { listArguments, namesArguments, type Search } from "./rg-arguments.ts";
import { cleanPath, type RipgrepOptions, startRipgrep } from "./ripgrep.ts";

export async function whyEmpty(
  search: Search,
  unrestricted: PathFilter,
  options: RipgrepOptions,
): Promise<SearchEmpty> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(limits.searchDiagnosisMs)]);
  const counter = new VariantCounter(search, { ...options, signal });
  // Usually nothing was skipped and nothing else matches: one run of each kind, for all reasons together, shows that.
  const [searched, widest, anyMatch] = await Promise.all([
    counter.files({}),
    counter.files({ no_ignore: true, hidden: true }, { anySize: true }),
    counter.matching(
      { no_ignore: true, hidden: true, ignore_case: true },
      { anySize: true, text: true, literalToo: true },
    ),
  ]);
  const [skipped, matches] = await Promise.all([
    widest === searched ? nothingSkipped : countSkipped(counter, searched),
    anyMatch === 0 || anyMatch === null ? noMatches(anyMatch) : countMatches(counter, search.request),
  ]);
  return {
    searched,
    unrestricted: searched === 0 && search.filter.restricts ? await counter.files({}, { filter: unrestricted }) : null,
    ...skipped,
    ...matches,
  };
}

type Skipped = Pick<SearchEmpty, "ignored" | "hidden" | "too_large">;
type Matches = Omit<SearchEmpty, "searched" | "unrestricted" | keyof Skipped>;

const nothingSkipped: Skipped = { ignored: 0, hidden: 0, too_large: 0 };

async function countSkipped(counter: VariantCounter, searched: number | null): Promise<Skipped> {
  const [ignored, hidden, anySize] = await Promise.all([
    counter.files({ no_ignore: true }),
    counter.files({ hidden: true }),
    counter.files({}, { anySize: true }),
  ]);
  const more = (files: number | null) => (files === null || searched === null ? null : Math.max(0, files - searched));
  return { ignored: more(ignored), hidden: more(hidden), too_large: more(anySize) };
}

const noMatches = (known: 0 | null): Matches => ({
  ignored_matching: known,
  hidden_matching: known,
  binary_matching: known,
  ignore_case_matching: known,
  literal_matching: known,
});

async function countMatches(counter: VariantCounter, request: SearchRequest): Promise<Matches> {
  const [ignored, hidden, binary, anyCase, literal] = await Promise.all([
    request.no_ignore ? 0 : counter.matching({ no_ignore: true }),
    request.hidden ? 0 : counter.matching({ hidden: true }),
    counter.matching({}, { text: true }),
    request.ignore_case ? 0 : counter.matching({ ignore_case: true }),
    request.literal ? 0 : counter.matching({ literal: true }),
  ]);
  return {
    ignored_matching: ignored,
    hidden_matching: hidden,
    binary_matching: binary,
    ignore_case_matching: anyCase,
    literal_matching: literal,
  };
}

interface Widening {
  filter?: PathFilter;
  anySize?: boolean;
  /** Searches binary files as if they were text. */
  text?: boolean;
  /** Searches for the pattern as plain text as well as for what it means. */
  literalToo?: boolean;
}

/** Counts the files that variants of the search would find. */
class VariantCounter {
  readonly #search: Search;
  readonly #options: RipgrepOptions;

  constructor(search: Search, options: RipgrepOptions) {
    this.#search = search;
    this.#options = options;
  }

  files(changes: Partial<SearchRequest>, widening: Widening = {}): Promise<number | null> {
    const search = this.#changed(changes, widening);
    return this.#count(search, namesArguments(search));
  }

  /** Always null when the search does not look into files. */
  async matching(changes: Partial<SearchRequest>, widening: Widening = {}): Promise<number | null> {
    const search = this.#changed(changes, widening);
    if (search.request.mode === "names") return null;
    const { pattern, literal } = search.request;
    const patterns = widening.literalToo === true && !literal ? [pattern, escapeRegex(pattern)] : [pattern];
    const list = listArguments(search, "--files-with-matches", patterns);
    return this.#count(search, widening.text === true ? ["--text", ...list] : list);
  }

  #changed(changes: Partial<SearchRequest>, widening: Widening): Search {
    return {
      ...this.#search,
      request: { ...this.#search.request, ...changes },
      filter: widening.filter ?? this.#search.filter,
      anySize: widening.anySize ?? false,
    };
  }

  /** Null when the run did not come to its end. */
  async #count({ root, filter }: Search, args: readonly string[]): Promise<number | null> {
    const ripgrep = startRipgrep(args, this.#options);
    let accepted = 0;
    for await (const records of ripgrep.records("\0")) {
      for (const record of records) {
        if (root.isFile || filter.accepts(cleanPath(record.toString("utf8")))) accepted += 1;
      }
    }
    return (await ripgrep.end()).code === null ? null : accepted;
  }
}

const escapeRegex = (text: string): string => text.replace(/[\\^$.|?*+()[\]{}#&~-]/g, "\\$&");
