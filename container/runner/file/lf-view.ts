// A text with its line endings shown as LF, and a way back to its own bytes: a caller need not know the file's line endings.

export interface LfView {
  bytes: Buffer;
  /** Converts an offset in the view to one in the source. That of a newline becomes that of its carriage return. */
  toSource(offset: number): number;
}

const CRLF = Buffer.from("\r\n");

export function lfView(source: Buffer): LfView {
  const returns = returnsIn(source);
  if (returns.length === 0) return { bytes: source, toSource: (offset) => offset };
  const bytes = Buffer.allocUnsafe(source.length - returns.length);
  let copied = 0;
  let written = 0;
  for (const at of returns) {
    written += source.copy(bytes, written, copied, at);
    copied = at + 1;
  }
  source.copy(bytes, written, copied);
  return { bytes, toSource: (offset) => offset + dropped(returns, offset) };
}

/** The offsets in the source of the carriage returns that belong to line endings. */
function returnsIn(source: Buffer): number[] {
  const found: number[] = [];
  for (let at = source.indexOf(CRLF); at !== -1; at = source.indexOf(CRLF, at + 2)) found.push(at);
  return found;
}

/** How many of them lie before an offset in the view, in which the one with index i is at `returns[i] - i`. */
function dropped(returns: number[], offset: number): number {
  let low = 0;
  let high = returns.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((returns[middle] ?? 0) - middle < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The line ending in use at `offset`. Null when `source` has no line ending. */
export function endingAt(source: Buffer, offset: number): "\n" | "\r\n" | null {
  const next = source.indexOf(10, offset);
  const at = next === -1 ? source.lastIndexOf(10) : next;
  if (at === -1) return null;
  return at > 0 && source[at - 1] === 13 ? "\r\n" : "\n";
}

export const toLf = (text: string): string => text.replaceAll("\r\n", "\n");

/** Converts the line endings of `text`; null leaves them as they are. */
export const withEnding = (text: string, ending: "\n" | "\r\n" | null): string =>
  ending === null ? text : ending === "\n" ? toLf(text) : toLf(text).replaceAll("\n", "\r\n");
