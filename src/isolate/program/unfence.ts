// Finds code in a Markdown fence, possibly with prose around it.

/** The text with everything except the code removed, so that lines keep their numbers; null when there is no fence. */
export function unfence(text: string): string | null {
  const match = /^[ \t]*(`{3,}|~{3,})[^\n`]*\n([\s\S]*?)^[ \t]*\1[ \t]*$/m.exec(text);
  if (match?.[2] === undefined) return null;
  const start = match.index + match[0].indexOf("\n") + 1;
  return `${text.slice(0, start).replace(/[^\n]+/g, "")}${match[2]}`;
}

export const opensWithFence = (text: string): boolean => /^\s*(`{3,}|~{3,})/.test(text);
