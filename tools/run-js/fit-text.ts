// Texts that fit as they are sent: inside JSON, where a line break is two characters and a control character six.

/** What a text takes as a JSON string. */
export const jsonChars = (text: string): number => JSON.stringify(text).length;

/** The text, or its start and its end with what was left out between them, in at most `maxChars` (over 100) of JSON. */
export function fitText(text: string, maxChars: number): string {
  if (text.length <= maxChars && jsonChars(text) <= maxChars) return text;
  let kept = maxChars - 60;
  for (;;) {
    const end = Math.floor(kept * 0.4);
    const fitted = `${text.slice(0, kept - end)}\n… ${text.length - kept} characters left out …\n${text.slice(text.length - end)}`;
    const chars = jsonChars(fitted);
    if (chars <= maxChars || kept === 0) return fitted;
    kept = shrunk(kept, maxChars, chars);
  }
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
