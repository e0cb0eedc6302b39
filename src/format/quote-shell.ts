/** Quotes a text as one word of a POSIX shell. */
export const quoteShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
