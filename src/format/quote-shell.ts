/** One word of a POSIX shell that stands for exactly this text. */
export const quoteShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
