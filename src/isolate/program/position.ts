// Places in a text: offsets in UTF-16 code units, and 1-based lines and columns as editors and stack traces count them.

export interface Position {
  line: number;
  column: number;
}

export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

export function offsetAt(text: string, { line, column }: Position): number {
  let start = 0;
  for (let current = 1; current < line; current++) {
    const end = text.indexOf("\n", start);
    if (end === -1) return text.length;
    start = end + 1;
  }
  return Math.min(start + column - 1, text.length);
}

/** The line with a mark under the column. Of a long line, the part around the column is shown. */
export function excerptAt(text: string, { line, column }: Position): string {
  const whole = (text.split("\n")[line - 1] ?? "").replace(/\r$/, "").replaceAll("\t", " ");
  const start = whole.length <= 120 ? 0 : Math.max(0, Math.min(column - 61, whole.length - 120));
  const shown = whole.slice(start, start + 120);
  const label = `${line} | `;
  return `${label}${shown}\n${" ".repeat(label.length + Math.max(0, column - 1 - start))}^`;
}
