// A text as if its lines ended in LF, with the way back to its bytes: a caller need not know how a file ends its lines.

export interface LfView {
  bytes: Buffer;
  /** The offset in the source of an offset in the view; before the carriage return where the view has only the newline. */
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

/** Offsets in the source of the carriage returns that belong to line ends. */
function returnsIn(source: Buffer): number[] {
  const found: number[] = [];
  for (let at = source.indexOf(CRLF); at !== -1; at = source.indexOf(CRLF, at + 2)) found.push(at);
  return found;
}

/** How many of them lie before an offset of the view: the one of index i is at `returns[i] - i` there. */
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

/** `source` ends its lines with; at a place in it where it uses both. Null where it has no line end. */
export function endingAt(source: Buffer, offset: number): "\n" | "\r\n" | null {
  const next = source.indexOf(10, offset);
  const at = next === -1 ? source.lastIndexOf(10) : next;
  if (at === -1) return null;
  return at > 0 && source[at - 1] === 13 ? "\r\n" : "\n";
}

export const toLf = (text: string): string => text.replaceAll("\r\n", "\n");

/** Text with the given line ends; as it is where there are none to take. */
export const withEnding = (text: string, ending: "\n" | "\r\n" | null): string =>
  ending === null ? text : ending === "\n" ? toLf(text) : toLf(text).replaceAll("\n", "\r\n");
