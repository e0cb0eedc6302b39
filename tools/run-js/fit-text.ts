// Shortens text so that it fits inside JSON, where a line break takes two characters and a control character six.

import { truncateMiddle } from "../../src/format/truncate.ts";

/** The length of a text as a JSON string. */
const jsonChars = (text: string): number => JSON.stringify(text).length;

/** The text, or its start and end, in at most `maxChars` (over 100) of JSON. */
export function fitText(text: string, maxChars: number): string {
  if (text.length <= maxChars && jsonChars(text) <= maxChars) return text;
  const fit = (chars: number) => ({
    text: truncateMiddle(text, Math.min(chars, text.length - 1), Math.floor(chars * 0.4)),
  });
  return fitJson(fit, maxChars).text;
}

/** The longest result of `fit`, which is given a number of characters, that takes at most `maxChars` of JSON. */
export function fitJson<Fitted extends { text: string }>(fit: (chars: number) => Fitted, maxChars: number): Fitted {
  let room = maxChars;
  for (;;) {
    const fitted = fit(room);
    const chars = jsonChars(fitted.text);
    if (chars <= maxChars || room === 0) return fitted;
    room = Math.floor(Math.min(room * 0.95, (room * maxChars) / chars));
  }
}
