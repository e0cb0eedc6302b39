// Code in a machine makes a host stream its guesses of a credential back to it, with a pause after each. What arrives before the
// pause must not depend on whether the guess is right.

import fc from "fast-check";
import { expect, test } from "vitest";
import { redactBytes } from "../../src/egress/redact.ts";
import { secretEncodings } from "../../src/egress/secret-encodings.ts";

/** Which is public: it tells the kind of the credential. */
const PREFIX = "ghp_";
const SECRET = `${PREFIX}7f1c0de5`;
const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";

/** How many bytes of each chunk arrive before the next one is sent, and how many at the end. */
function releases(secret: string, chunks: readonly Uint8Array[]): number[] {
  const { transform, flush } = redactBytes(secretEncodings(secret));
  return [...chunks.map((chunk) => transform(chunk).length), flush().length];
}

/** Extends the guess by the one character of which less arrives than of any other, as long as there is one. */
function recover(arrived: (guess: string) => number): string {
  let known = PREFIX;
  while (known.length < SECRET.length) {
    const answers = [...ALPHABET].map((character) => arrived(known + character));
    const least = Math.min(...answers);
    if (answers.filter((answer) => answer === least).length > 1) break;
    known += ALPHABET[answers.indexOf(least)];
  }
  return known;
}

test.each<[form: string, encode: (guess: string) => string]>([
  ["as it is", (guess) => guess],
  ["after a line break", (guess) => `data: x\n\ndata: ${guess}`],
  ["in hexadecimal", (guess) => Buffer.from(guess).toString("hex")],
])("a credential is not recovered from the delays of guesses %s", (_, encode) => {
  expect(recover((guess) => releases(SECRET, [Buffer.from(encode(guess))])[0] ?? 0)).toBe(PREFIX);
});

const part = fc.oneof(
  fc.nat(SECRET.length).chain((start) => fc.constant(SECRET.slice(start))),
  fc.nat(SECRET.length).chain((end) => fc.constant(SECRET.slice(0, end))),
  fc.constantFrom(...secretEncodings(SECRET), "\n", "\r\n", "data: ", "*"),
  fc.string({ maxLength: 40 }),
);
const stream = fc.array(part, { maxLength: 12 }).map((parts) => parts.map((text) => Buffer.from(text)));

test("what is passed on at any moment is the same for every credential of one length", () => {
  const other = "x".repeat(SECRET.length);
  fc.assert(
    fc.property(stream, (chunks) => {
      expect(releases(SECRET, chunks)).toEqual(releases(other, chunks));
    }),
    { numRuns: 2_000 },
  );
});

test("an event is passed on with its line break, and what is held back has a bound", () => {
  const { transform } = redactBytes(secretEncodings(SECRET));
  const bound = SECRET.length * 2 - 1;
  expect(Buffer.from(transform(Buffer.from(`data: ${SECRET}\n\n`))).toString()).toBe(
    `data: ${"*".repeat(SECRET.length)}\n\n`,
  );
  expect(transform(Buffer.alloc(bound, "x")).length).toBe(0);
  expect(transform(Buffer.alloc(1_000, "x")).length).toBe(1_000);
});
