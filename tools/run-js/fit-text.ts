// Texts that fit as they are sent: inside JSON, where a line break is two characters and a control character six.

import { truncateMiddle } from "../../src/format/truncate.ts";

/** What a text takes as a JSON string. */
export const jsonChars = (text: string): number => JSON.stringify(text).length;

/** The text, or its start and its end with what was left out between them, in at most `maxChars` (over 100) of JSON. */
export function fitText(text: string, maxChars: number): string {
  if (text.length <= maxChars && jsonChars(text) <= maxChars) return text;
  const fit = (chars: number) => ({
    text: truncateMiddle(text, Math.min(chars, text.length - 1), Math.floor(chars * 0.4)),
  });
  return fitJson(fit, maxChars).text;
}

/** The fullest answer of `fit`, given how many characters it may take, that takes `maxChars` of JSON at most. */
export function fitJson<Fitted extends { text: string }>(fit: (chars: number) => Fitted, maxChars: number): Fitted {
  let room = maxChars;
  for (;;) {
    const fitted = fit(room);
    const chars = jsonChars(fitted.text);
    if (chars <= maxChars || room === 0) return fitted;
    room = shrunk(room, maxChars, chars);
  }
}

const shrunk = (kept: number, maxChars: number, chars: number): number =>
  Math.floor(Math.min(kept * 0.95, (kept * maxChars) / chars));
