// The order of paths in answers: by the bytes of each part, as with `rg --sort path`, however they were found.

/** A string that compares as the path is ordered. */
export function orderKey(path: string): string {
  const bytes = isAscii(path) ? path : Buffer.from(path, "utf8").toString("latin1");
  return bytes.replaceAll("/", "\0");
}

export const byKey = (a: { key: string }, b: { key: string }): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);
