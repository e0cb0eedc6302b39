// Fitting raw output into a number of characters, and counting it.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Capture } from "../../../container/runner/output/capture.ts";
import { countNewlines } from "../../../container/runner/output/count-newlines.ts";
import { cleanText, fitEnd, fitStart } from "../../../container/runner/output/fit-text.ts";
import { OMISSION_MARKER_CHARS } from "../../../container/runner/output/stream-text.ts";
import { firstCharacterOffset, wholeCharactersLength } from "../../../container/runner/output/utf8.ts";

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom("a", "é", "€", "😀", "\n", "\r", "\x1b[1m", "\b", "line\n", "\xff"),
      fc.string({ unit: "binary", maxLength: 20 }),
    ),
    { maxLength: 60 },
  )
  .map((parts) => Buffer.from(parts.join("")));

describe("fitStart", () => {
  test("fitStart() and fitEnd() return the clean text of exactly the bytes they report", () => {
    fc.assert(
      fc.property(text, fc.nat(80), (bytes, chars) => {
        for (const [fitted, place] of [
          [fitStart(bytes, chars), bytes.subarray(0, fitStart(bytes, chars).bytes.length)],
          [fitEnd(bytes, chars), bytes.subarray(bytes.length - fitEnd(bytes, chars).bytes.length)],
        ] as const) {
          expect(fitted.text.length).toBeLessThanOrEqual(chars);
          expect(fitted.bytes.equals(place)).toBe(true);
          expect(fitted.text).toBe(cleanText(fitted.bytes));
          expect(fitted.text).not.toContain("\ufffd".repeat(bytes.toString().includes("\ufffd") ? 1000 : 1));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test("fitStart() and fitEnd() leave bytes out between them, with room for the marker, when not all fits", () => {
    const moves = fc.constantFrom(
      "\x1b[9999C",
      "\x1b[200G",
      "\x1b[99@",
      "\x1b[2K",
      "\r",
      "\b",
      "\n",
      "x",
      "y".repeat(60),
    );
    fc.assert(
      fc.property(fc.array(moves, { maxLength: 40 }), fc.nat(300), (parts, chars) => {
        const bytes = Buffer.from(parts.join(""));
        if (fitStart(bytes, chars + OMISSION_MARKER_CHARS).bytes.length === bytes.length) return;
        const first = fitStart(bytes, Math.floor(chars / 2));
        const last = fitEnd(bytes.subarray(first.bytes.length), chars - first.text.length);
        expect(first.bytes.length + last.bytes.length).toBeLessThan(bytes.length);
      }),
      { numRuns: 5_000 },
    );
  });

  test.each([
    { when: "lines fit", raw: "one\ntwo\nthree\n", chars: 9, start: "one\ntwo\n", end: "three\n" },
    { when: "no line fits", raw: "0123456789\nabcdefghij\n", chars: 4, start: "0123", end: "hij\n" },
    {
      when: "a cut at a line would waste much",
      raw: "a\n0123456789\nb\n",
      chars: 8,
      start: "a\n012345",
      end: "56789\nb\n",
    },
    { when: "all fits", raw: "a\nb", chars: 3, start: "a\nb", end: "a\nb" },
    { when: "a character does not fit", raw: "😀😀", chars: 3, start: "😀", end: "😀" },
  ])("fitStart() and fitEnd() cut where it reads best when $when", ({ raw, chars, start, end }) => {
    expect([fitStart(Buffer.from(raw), chars).text, fitEnd(Buffer.from(raw), chars).text]).toEqual([start, end]);
  });
});

describe("Capture", () => {
  test("Capture returns the exact bytes of every range it holds, however they arrived", () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 });
    fc.assert(
      fc.property(
        pieces,
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 30 }),
        (chunks, headBytes, tailBytes) => {
          const capture = new Capture({ headBytes, tailBytes });
          for (const chunk of chunks) capture.append(chunk);
          const all = Buffer.concat(chunks);
          expect(capture.bytes).toBe(all.length);
          for (let start = 0; start <= all.length; start += 3) {
            for (let end = start; end <= all.length; end += 2) {
              const slice = capture.slice(start, end);
              const held = end <= headBytes || start >= all.length - tailBytes || all.length <= headBytes + tailBytes;
              if (held && start >= 0) expect(slice?.equals(all.subarray(start, end))).toBe(true);
              else if (slice !== null) expect(slice.equals(all.subarray(start, end))).toBe(true);
            }
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("counting", () => {
  test("countNewlines() counts like a loop, wherever the bytes start and end", () => {
    const bytes = fc.uint8Array({ maxLength: 5_000, size: "max" });
    const dense = fc.array(fc.constantFrom(10, 138, 0x8a, 11, 9, 0, 255), { maxLength: 5_000, size: "max" });
    fc.assert(
      fc.property(
        fc.oneof(
          bytes,
          dense.map((array) => Uint8Array.from(array)),
        ),
        fc.nat(9),
        (all, offset) => {
          const part = all.subarray(offset);
          expect(countNewlines(part)).toBe(part.reduce((sum, byte) => sum + (byte === 10 ? 1 : 0), 0));
        },
      ),
    );
    expect(countNewlines(new Uint8Array(1_000_003).fill(10))).toBe(1_000_003);
  });

  test("wholeCharactersLength() and firstCharacterOffset() cut between characters when the text is valid", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(40), (string, cut) => {
        const bytes = Buffer.from(string);
        const left = bytes.subarray(0, cut);
        const right = bytes.subarray(cut);
        const kept = left.subarray(0, wholeCharactersLength(left)).toString();
        const rest = right.subarray(firstCharacterOffset(right)).toString();
        expect(string.isWellFormed() ? string.startsWith(kept) && string.endsWith(rest) : true).toBe(true);
        expect(left.length - Buffer.byteLength(kept)).toBeLessThan(4);
      }),
    );
  });
});
