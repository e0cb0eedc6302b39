// What a terminal would show at last of what was written to it.

import { expect, test } from "vitest";
import { terminalText } from "../../container/runner/terminal-text.ts";

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
  { when: "the cursor goes far away", raw: "a\x1b[99999999Cb\x1b[99999999D!", shown: `!${" ".repeat(9_999)}b` },
  { when: "control characters are loose", raw: "a\x00b\x07c\x0bd\x0ce\x7ff\x1bg\x85h", shown: "abcdefh" },
  { when: "the sequence is cut", raw: "a\x1b[3", shown: "a" },
];

test.each(rows)("terminalText() shows the last state when $when", ({ raw, shown }) => {
  expect(terminalText(raw)).toBe(shown);
});

const hostile = ["\x1b]", "\x1b[1;", "\x1bP", "\x9d", "\x1b[", "a\b", "\r", "\x1b[9C\b", "\x1b"];
test.each(hostile)("terminalText() stays fast when %j comes a hundred thousand times", (piece) => {
  const started = performance.now();
  terminalText(piece.repeat(100_000));
  expect(performance.now() - started).toBeLessThan(2_000);
});
