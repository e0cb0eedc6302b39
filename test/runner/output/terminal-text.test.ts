// The text that a terminal would show in the end.

import fc from "fast-check";
import { expect, test } from "vitest";
import { fitEnd, fitStart } from "../../../container/runner/output/fit-text.ts";
import { terminalText } from "../../../container/runner/output/terminal-text.ts";
import { limits } from "../../../src/contract/limits.ts";

const rows: { when: string; raw: string; shown: string }[] = [
  { when: "there is nothing special", raw: "a\tb\n  ünï 😀\n", shown: "a\tb\n  ünï 😀\n" },
  { when: "lines end as on Windows", raw: "a\r\nb\r\r\n", shown: "a\nb\n" },
  { when: "there are colours", raw: "\x1b[1m\x1b[38;5;196mred\x1b[0m \x1b[48:2::1:2:3mx\x1b[m", shown: "red x" },
  { when: "there are links", raw: "\x1b]8;id=1;http://a.b/c d\x1b\\name\x1b]8;;\x1b\\!", shown: "name!" },
  { when: "there is a title", raw: "\x1b]0;user@host: ~/a b\x07$ ", shown: "$ " },
  { when: "a string has no end", raw: "\x1b]0;no end\nnext", shown: "0;no end\nnext" },
  { when: "there are device strings", raw: "a\x1bP1$r0m\x1b\\b\x1b_app\x1b\\c\x1b^pm\x1b\\d", shown: "abcd" },
  { when: "character sets are chosen", raw: "\x1b(Ba\x1b)0b\x1b=c\x1b>d\x1b7e\x1b8", shown: "abcde" },
  { when: "modes are set", raw: "\x1b[?25l\x1b[?2004h$ \x1b[?1049h\x1b[>4;2m", shown: "$ " },
  { when: "sequences are in one byte", raw: "a\x9b31mb\x9d0;t\x9cc", shown: "abc" },
  { when: "a progress line is drawn again", raw: " 1%\r 50%\r100%\ndone\n", shown: "100%\ndone\n" },
  { when: "a shorter text is drawn over a longer", raw: "abcdef\rxy\n", shown: "xycdef\n" },
  { when: "the line is erased first", raw: "abcdef\r\x1b[Kxy\nabcdef\x1b[2K\rz\n", shown: "xy\nz\n" },
  { when: "the rest of the line is erased after", raw: "abcdef\rxy\x1b[K\n", shown: "xy\n" },
  { when: "a spinner turns", raw: "|\b/\b-\b\\\b \bok", shown: "ok" },
  { when: "bold is struck over", raw: "N\bNA\bAM\bME\bE _\bx", shown: "NAME x" },
  { when: "the cursor moves in the line", raw: "abc\x1b[2DX\x1b[5GY\x1b[CZ", shown: "aXc Y Z" },
  { when: "characters are deleted and inserted", raw: "abcd\x1b[3D\x1b[P!\x1b[@?", shown: "a!?d" },
  { when: "an accent is a character of its own", raw: "\rcafe\u0301\b!", shown: "caf!" },
  { when: "the cursor goes far away", raw: "a\x1b[99999999Cb\x1b[99999999D!", shown: `!${" ".repeat(159)}b` },
  { when: "it goes far away again", raw: "\x1b[9999Cx\x1b[9999Cy\r\x1b[500Gz", shown: `${" ".repeat(160)}xyz` },
  { when: "many blanks are inserted", raw: "ab\b\x1b[9999@\x1b[9999@", shown: `a${" ".repeat(158)}b` },
  { when: "what is far out is erased", raw: `${"x".repeat(999)}\x1b[2Ky`, shown: `${" ".repeat(160)}y` },
  { when: "the start of a line is erased", raw: "abcdef\x1b[3D\x1b[1KX", shown: "   Xef" },
  { when: "control characters are loose", raw: "a\x00b\x07c\x0bd\x0ce\x7ff\x1bg\x85h", shown: "abcdefh" },
  { when: "the sequence is cut", raw: "a\x1b[3", shown: "a" },
];

test.each(rows)("terminalText() shows the final state when $when", ({ raw, shown }) => {
  expect(terminalText(raw)).toBe(shown);
});

const SIZE = limits.captureHeadBytes + limits.captureTailBytes;
/** Quadratic time would be thousands. */
const MOST_TIMES = 50;

const hostile = [
  ...[
    "\x1b]",
    "\x1b[1;",
    "\x1bP",
    "\x9d",
    "\x1b[",
    "a\b",
    "\r",
    "\x1b[9C\b",
    "\x1b",
    "\x1b[9999@",
    "\x1b[1K",
    "\x1b[P",
  ],
  ...["ab\b\x1b[9999@", "\x1b[9999Cx\n", "\x1b[9999Cx\r\x1b[K", "x\x1b[2K", "\u0301", "x\x1b[1K\t", "\x1b[@\r"],
];
test.each(hostile)("terminalText() stays fast when %j is repeated", (piece) => {
  const repeated = piece.repeat(SIZE / piece.length);
  for (const raw of [repeated, `${"x".repeat(60_000)}${repeated}`, `${"x".repeat(60_000)}\r${repeated}`]) {
    expect(timesOrdinary(() => terminalText(raw))).toBeLessThan(MOST_TIMES);
  }
});

const pieces = [
  ...[
    "\x1b[9999@",
    "\x1b[1K",
    "\x1b[P",
    "\x1b[99P",
    "\x1b[9999C",
    "\x1b[9999D",
    "\x1b[240G",
    "\x1b[G",
    "\x1b[2K",
    "\x1b[K",
  ],
  ...[
    "\x1b[31m",
    "\x1b]0;t\x07",
    "\x1b[",
    "\x1b]",
    "\x9b",
    "\b",
    "\r",
    "\n",
    "\t",
    "\x07",
    "ab\b",
    "x",
    "é",
    "😀",
    "\u0301",
  ],
  ...["y".repeat(100), "z".repeat(10_000)],
];

test("fitStart() takes little time for any output when it is as long as one answer reads", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 8 }), (some) => {
      const round = some.join("");
      const bytes = Buffer.from(round.repeat(SIZE / round.length + 1)).subarray(0, SIZE);
      expect(
        timesOrdinary(() => {
          const first = fitStart(bytes, limits.answerStreamChars / 2);
          fitEnd(bytes.subarray(first.bytes.length), limits.answerStreamChars / 2);
        }),
      ).toBeLessThan(MOST_TIMES);
    }),
    { numRuns: 60 },
  );
});

const ordinary = "progress 10%\rprogress 11%\r".repeat(SIZE / 26);

/**
 * How many times the processor time of ordinary output of this size it takes, both measured at the same moment, so that neither a
 * slow core nor others' work counts. Measured again where it is too much: a core that is shared changes its speed.
 */
function timesOrdinary(run: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let runs = 0; runs < 8 && least >= MOST_TIMES; runs += 1)
    least = Math.min(least, usedMs(run) / usedMs(() => terminalText(ordinary)));
  return least;
}

function usedMs(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
